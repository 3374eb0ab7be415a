// Which calls are replaced: those that have the types of the built-in function. A program can declare a function of its name with
// others.

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include "shim.h"

using namespace llvm;

namespace {

/// What a call of a function must be like to be replaced: a letter of `fits` for its result and one for each operand, or several
/// such lists; nothing if no call of it is replaced. The numbers of an atomic function are of the type that its pointer points to.
StringRef types_of(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Cases({"atom_inc", "atom_dec", "atomic_inc", "atomic_dec"}, "wp")
      .Cases({"atom_min", "atom_max", "atomic_min", "atomic_max"}, "wpw")
      .Cases({"atom_xchg", "atomic_xchg", "atomic_fetch_min", "atomic_fetch_max"}, "npn")
      .Cases({"atomic_fetch_min_explicit", "atomic_fetch_max_explicit"}, "npni|npnii")
      .Cases({"atomic_compare_exchange_strong", "atomic_compare_exchange_weak"}, "bppn")
      .Cases({"atomic_compare_exchange_strong_explicit", "atomic_compare_exchange_weak_explicit"}, "bppnii|bppniii")
      .Case("atomic_load_explicit", "npi|npii")
      .Case("atomic_store_explicit", "vpni|vpnii")
      .Cases({"sub_group_barrier", "work_group_barrier"}, "vi|vii")
      .Cases({"mem_fence", "read_mem_fence", "write_mem_fence"}, "vi")
      .StartsWith("convert_", "cc")
      .Case("vloada_half3", "3zp")
      .Cases({"__to_global", "__to_local", "__to_private"}, "pp")
      .Case("read_imageh", "hxq|hxsk")
      .Cases({"read_imagef", "read_imagei", "read_imageui"}, "txsfl|txsfff")
      .Cases({"write_imagef", "write_imagei", "write_imageui"}, "vxqit")
      .Cases({"get_image_channel_order", "get_image_channel_data_type"}, "ix")
      .Case("get_image_dim", "qx")
      .Default("");
}

bool fits(Type *type, char letter) {
  Type *scalar = type->getScalarType();
  auto *opaque = dyn_cast<TargetExtType>(type);
  auto *vector = dyn_cast<FixedVectorType>(type);
  const unsigned count = vector ? vector->getNumElements() : 1;
  switch (letter) {
  case 'v':
    return type->isVoidTy();
  case 'p':
    return type->isPointerTy();
  case 'b':
    return type->isIntegerTy(1);
  case 'i':
    return type->isIntegerTy(32);
  case 'z':
    return type->isIntegerTy();
  case 'w': // of an atomic function
    return type->isIntegerTy(32) || type->isIntegerTy(64);
  case 'n':
    return fits(type, 'w') || type->isFloatingPointTy();
  case 'c':
    return type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy();
  case '3':
    return count == 3 && scalar->isFloatTy();
  case 'h':
    return count == 4 && scalar->isHalfTy();
  case 'f':
    return scalar->isFloatTy();
  case 'l': // of detail
    return type->isFloatTy();
  case 'q':
    return scalar->isIntegerTy(32);
  case 'k':
    return fits(type, 'f') || fits(type, 'q');
  case 't': // a texel, or a depth
    return (count == 4 || !vector) && fits(type, 'k');
  case 's':
    return opaque && opaque->getName() == "spirv.Sampler";
  case 'x':
    return opaque && opaque->getName() == "spirv.Image" && opaque->getNumIntParameters();
  }
  llvm_unreachable("a letter of `types_of`");
}

/// The number that a pointer points to, which is the first of a function's types; null if there is none.
Type *pointee(LLVMContext &context, StringRef types) {
  types.consume_front("P");
  // Address spaces and `_Atomic` are a length and a name.
  for (unsigned length = 0;;)
    if (types.consume_front("U") && !types.consumeInteger(10, length))
      types = types.substr(length);
    else if (!types.consume_front("V") && !types.consume_front("K"))
      break;
  if (types.starts_with("Dh"))
    return Type::getHalfTy(context);
  return StringSwitch<Type *>(types.take_front())
      .Cases({"i", "j"}, Type::getInt32Ty(context))
      .Cases({"l", "m"}, Type::getInt64Ty(context))
      .Case("f", Type::getFloatTy(context))
      .Case("d", Type::getDoubleTy(context))
      .Default(nullptr);
}

/// Whether a conversion has the name of what it gives, and as many numbers as it takes.
bool converts(const CallInst &call, StringRef name) {
  Type *to = call.getType(), *from = call.getArgOperand(0)->getType();
  name.consume_front("convert_");
  if (!name.consume_front(name_of(to, true)) && !name.consume_front(name_of(to, false)))
    return false;
  return (name.empty() || name.starts_with("_sat") || name.starts_with("_rt")) &&
         from->getWithNewType(to->getScalarType()) == to;
}

} // namespace

bool is_replaced(const CallInst &call, StringRef name, StringRef mangled) {
  SmallVector<Type *> types{call.getType()};
  for (Value *argument : call.args())
    types.push_back(argument->getType());
  auto has = [&](StringRef letters) {
    return letters.size() == types.size() && all_of(zip(types, letters), [&](auto pair) {
             auto [type, letter] = pair;
             const bool is_atomic = letter == 'w' || letter == 'n';
             return fits(type, letter) && (!is_atomic || type == pointee(call.getContext(), mangled));
           });
  };
  return any_of(split(types_of(name), '|'), has) && (!name.starts_with("convert_") || converts(call, name));
}
