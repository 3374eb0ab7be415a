// Built-in functions that the SPIR-V target of LLVM 22 does not translate, or translates wrongly: their calls become
// instructions or calls that it does.

#include <optional>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include "shim.h"

using namespace llvm;

namespace {

/// `_Z<length><name><types>`, taken apart; no name if it is none.
struct Mangled {
  StringRef name;
  StringRef types;

  explicit Mangled(StringRef symbol) {
    unsigned length = 0;
    if (symbol.consume_front("_Z") && !symbol.consumeInteger(10, length) && length <= symbol.size()) {
      name = symbol.take_front(length);
      types = symbol.drop_front(length);
    }
  }
};

std::string mangle(StringRef name, StringRef types) { return ("_Z" + Twine(name.size()) + name + types).str(); }

/// Calls `name` of `module`, which is declared as the arguments and the result need it.
CallInst *call(IRBuilder<> &builder, Module &module, const std::string &name, Type *result, ArrayRef<Value *> values) {
  SmallVector<Type *> types;
  for (Value *value : values)
    types.push_back(value->getType());
  FunctionCallee callee = module.getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto *function = cast<Function>(callee.getCallee());
  function->setCallingConv(CallingConv::SPIR_FUNC);
  CallInst *made = builder.CreateCall(callee, values);
  made->setCallingConv(CallingConv::SPIR_FUNC);
  return made;
}

/// A constant argument's number; nothing if it is known only when the kernel runs.
std::optional<uint64_t> number(const CallBase &call, unsigned index) {
  if (index >= call.arg_size())
    return std::nullopt;
  auto *constant = dyn_cast<ConstantInt>(call.getArgOperand(index));
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

// ---- atomic functions

/// `memory_order` as OpenCL C numbers it; the strongest if it is not known.
AtomicOrdering ordering(std::optional<uint64_t> order) {
  switch (order.value_or(5)) {
  case 0:
    return AtomicOrdering::Monotonic;
  case 1:
  case 2:
    return AtomicOrdering::Acquire;
  case 3:
    return AtomicOrdering::Release;
  case 4:
    return AtomicOrdering::AcquireRelease;
  default:
    return AtomicOrdering::SequentiallyConsistent;
  }
}

/// `memory_scope` as OpenCL C numbers it; the widest if it is not known.
SyncScope::ID scope(LLVMContext &context, std::optional<uint64_t> scope) {
  switch (scope.value_or(3)) {
  case 0:
    return context.getOrInsertSyncScopeID("singlethread");
  case 1:
    return context.getOrInsertSyncScopeID("workgroup");
  case 2:
    return context.getOrInsertSyncScopeID("device");
  case 4:
    return context.getOrInsertSyncScopeID("subgroup");
  default:
    return SyncScope::System;
  }
}

/// Whether the number at the end of an atomic function's types has a sign: its value comes last but for order and scope.
bool has_sign(StringRef types) {
  types.consume_back("12memory_scope");
  types.consume_back("12memory_order");
  return types.ends_with("i") || types.ends_with("l");
}

/// A minimum, maximum or exchange as an instruction. Functions of OpenCL C 1.x are relaxed, at the scope of the device.
bool replace_atomic(CallInst &old, const Mangled &mangled) {
  StringRef name = mangled.name;
  const bool classic = name.consume_front("atom_") || (name.starts_with("atomic_") && !name.starts_with("atomic_fetch_") &&
                                                       name.consume_front("atomic_"));
  const bool with_order = !classic && name.consume_back("_explicit");
  if (!classic && !name.consume_front("atomic_fetch_"))
    return false;
  Type *type = old.getType();
  const bool is_float = type->isFloatingPointTy();
  const bool sign = has_sign(mangled.types);
  AtomicRMWInst::BinOp operation;
  if (name == "min" || name == "max") {
    const bool min = name == "min";
    operation = is_float ? (min ? AtomicRMWInst::FMin : AtomicRMWInst::FMax)
                : sign   ? (min ? AtomicRMWInst::Min : AtomicRMWInst::Max)
                         : (min ? AtomicRMWInst::UMin : AtomicRMWInst::UMax);
  } else if (classic && name == "xchg") {
    operation = AtomicRMWInst::Xchg;
  } else if (classic && (name == "inc" || name == "dec")) {
    operation = name == "inc" ? AtomicRMWInst::Add : AtomicRMWInst::Sub;
  } else {
    return false;
  }
  IRBuilder<> builder(&old);
  Value *value = old.arg_size() > 1 ? old.getArgOperand(1) : ConstantInt::get(type, 1);
  AtomicOrdering order = classic ? AtomicOrdering::Monotonic
                         : with_order ? ordering(number(old, 2))
                                      : AtomicOrdering::SequentiallyConsistent;
  std::optional<uint64_t> where = old.arg_size() > 3 ? number(old, 3) : std::optional<uint64_t>(2);
  Value *made = builder.CreateAtomicRMW(operation, old.getArgOperand(0), value, MaybeAlign(), order,
                                        scope(old.getContext(), where));
  old.replaceAllUsesWith(made);
  return true;
}

/// Compare-and-exchange of a floating-point number compares bits: as an integer. Orders and scopes that are known only when
/// the kernel runs end the process in the SPIR-V target.
bool replace_compare_exchange(CallInst &old, const Mangled &mangled) {
  if (!mangled.name.starts_with("atomic_compare_exchange_"))
    return false;
  bool known = true;
  for (unsigned index = 3; index < old.arg_size(); ++index)
    known &= number(old, index).has_value();
  if (known && !old.getArgOperand(2)->getType()->isFloatingPointTy())
    return false;
  IRBuilder<> builder(&old);
  Type *bits = builder.getIntNTy(old.getArgOperand(2)->getType()->getPrimitiveSizeInBits());
  Value *expected = builder.CreateLoad(bits, old.getArgOperand(1));
  Value *desired = builder.CreateBitCast(old.getArgOperand(2), bits);
  const bool with_order = mangled.name.ends_with("_explicit");
  AtomicOrdering success = with_order ? ordering(number(old, 3)) : AtomicOrdering::SequentiallyConsistent;
  AtomicOrdering failure = with_order ? ordering(number(old, 4)) : AtomicOrdering::SequentiallyConsistent;
  std::optional<uint64_t> where = old.arg_size() > 5 ? number(old, 5) : std::optional<uint64_t>(2);
  Value *pair = builder.CreateAtomicCmpXchg(old.getArgOperand(0), expected, desired, MaybeAlign(), success, failure,
                                            scope(old.getContext(), where));
  Value *found = builder.CreateExtractValue(pair, 0);
  // If it was equal, this stores what is there already.
  builder.CreateStore(found, old.getArgOperand(1));
  Value *equal = builder.CreateExtractValue(pair, 1);
  old.replaceAllUsesWith(builder.CreateZExtOrTrunc(equal, old.getType()));
  return true;
}

/// Scopes of SPIR-V, by those of OpenCL C; the widest if it is known only when the kernel runs.
uint32_t spirv_scope(std::optional<uint64_t> scope) {
  static const uint32_t scopes[] = {4, 2, 1, 0, 3};
  const uint64_t given = scope.value_or(3);
  return given < 5 ? scopes[given] : 0;
}

/// Memory semantics of SPIR-V, by `memory_order`.
uint32_t spirv_order(std::optional<uint64_t> order) {
  static const uint32_t orders[] = {0, 0x2, 0x2, 0x4, 0x8, 0x10};
  const uint64_t given = order.value_or(5);
  return given < 6 ? orders[given] : 0x10;
}

/// Loads and stores with an order: the target takes the numbers of OpenCL C for its own, or none of them.
bool replace_explicit_access(CallInst &old, const Mangled &mangled) {
  const bool load = mangled.name == "atomic_load_explicit";
  if (!load && mangled.name != "atomic_store_explicit")
    return false;
  IRBuilder<> builder(&old);
  const unsigned at = load ? 1 : 2;
  Value *order = builder.getInt32(spirv_order(number(old, at)));
  std::optional<uint64_t> device = 2;
  Value *scope = builder.getInt32(spirv_scope(old.arg_size() > at + 1 ? number(old, at + 1) : device));
  StringRef types = mangled.types;
  types.consume_back("12memory_scope");
  types.consume_back("12memory_order");
  Value *pointer = old.getArgOperand(0);
  if (load) {
    Value *made = call(builder, *old.getModule(), mangle("__spirv_AtomicLoad", (types + "ii").str()), old.getType(),
                       {pointer, scope, order});
    old.replaceAllUsesWith(made);
    return true;
  }
  // The value's type comes last: one letter, or two for half.
  const size_t letters = types.ends_with("Dh") ? 2 : 1;
  std::string all = (types.drop_back(letters) + "ii" + types.take_back(letters)).str();
  call(builder, *old.getModule(), mangle("__spirv_AtomicStore", all), old.getType(),
       {pointer, scope, order, old.getArgOperand(1)});
  return true;
}

// ---- barriers and fences

/// Memory semantics of SPIR-V for flags of OpenCL C; all memory if they are known only when the kernel runs.
uint32_t memory(std::optional<uint64_t> flags) {
  const uint64_t given = flags.value_or(7);
  return (given & 1 ? 0x100 : 0) | (given & 2 ? 0x200 : 0) | (given & 4 ? 0x800 : 0);
}

bool replace_barrier(CallInst &old, const Mangled &mangled) {
  IRBuilder<> builder(&old);
  Module &module = *old.getModule();
  Type *none = builder.getVoidTy();
  if (mangled.name == "sub_group_barrier") {
    const uint32_t sub_group = 3, all_orders = 0x10;
    const uint32_t where = old.arg_size() > 1 ? spirv_scope(number(old, 1)) : sub_group;
    call(builder, module, "_Z22__spirv_ControlBarrieriii", none,
         {builder.getInt32(sub_group), builder.getInt32(where), builder.getInt32(memory(number(old, 0)) | all_orders)})
        ->setConvergent();
    return true;
  }
  const uint32_t work_group = 2;
  if (mangled.name == "work_group_barrier" && old.arg_size() > 1 && !number(old, 1)) {
    // The target would let the scope be that of the barrier itself.
    const uint32_t all_orders = 0x10;
    call(builder, module, "_Z22__spirv_ControlBarrieriii", none,
         {builder.getInt32(work_group), builder.getInt32(spirv_scope(number(old, 1))),
          builder.getInt32(memory(number(old, 0)) | all_orders)})
        ->setConvergent();
    return true;
  }
  const uint32_t order = StringSwitch<uint32_t>(mangled.name)
                             .Case("mem_fence", 0x8)
                             .Case("read_mem_fence", 0x2)
                             .Case("write_mem_fence", 0x4)
                             .Default(0);
  if (order == 0)
    return false;
  call(builder, module, "_Z21__spirv_MemoryBarrierii", none,
       {builder.getInt32(work_group), builder.getInt32(memory(number(old, 0)) | order)});
  return true;
}

// ---- conversions

/// Whether the letters of a mangled type mean an integer, and whether that has a sign. Vectors have a prefix.
bool is_integer(StringRef types) {
  return !types.empty() && !types.ends_with("Dh") && StringRef("cahstijlm").contains(types.back());
}
bool is_signed(StringRef types) { return StringRef("csil").contains(types.back()); }

/// Conversions between integers: the target extends by a sign where the result's type has none, and the reverse, whatever the
/// operand's is. There is nothing to round.
bool replace_integer_conversion(CallInst &old, const Mangled &mangled) {
  if (!mangled.name.starts_with("convert_") || mangled.name.contains("_sat") || !old.getType()->isIntOrIntVectorTy() ||
      !is_integer(mangled.types))
    return false;
  IRBuilder<> builder(&old);
  old.replaceAllUsesWith(builder.CreateIntCast(old.getArgOperand(0), old.getType(), is_signed(mangled.types)));
  return true;
}

/// Saturated conversions between integers: the target takes signed for unsigned. The value is clamped, then converted.
bool replace_saturation(CallInst &old, const Mangled &mangled) {
  Type *to = old.getType();
  if (!mangled.name.starts_with("convert_") || !mangled.name.contains("_sat") || !to->isIntOrIntVectorTy() ||
      !is_integer(mangled.types))
    return false;
  Value *value = old.getArgOperand(0);
  Type *from = value->getType();
  const bool from_sign = is_signed(mangled.types), to_sign = !mangled.name.starts_with("convert_u");
  const unsigned from_bits = from->getScalarSizeInBits(), to_bits = to->getScalarSizeInBits();
  IRBuilder<> builder(&old);
  auto clamp = [&](CmpInst::Predicate outside, const APInt &limit) {
    Value *constant = ConstantInt::get(from, limit);
    value = builder.CreateSelect(builder.CreateICmp(outside, value, constant), constant, value);
  };
  // The largest and the smallest value, where the source has any beyond.
  const unsigned from_range = from_bits - from_sign, to_range = to_bits - to_sign;
  if (from_range > to_range)
    clamp(from_sign ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT, APInt::getLowBitsSet(from_bits, to_range));
  if (from_sign && !to_sign)
    clamp(CmpInst::ICMP_SLT, APInt::getZero(from_bits));
  else if (from_sign && from_bits > to_bits)
    clamp(CmpInst::ICMP_SLT, APInt::getSignedMinValue(to_bits).sext(from_bits));
  old.replaceAllUsesWith(builder.CreateIntCast(value, to, from_sign));
  return true;
}

/// `vloada_half3` steps by four numbers; the target would step by three. Four are there to be read.
bool replace_aligned_load(CallInst &old, const Mangled &mangled) {
  if (mangled.name != "vloada_half3")
    return false;
  IRBuilder<> builder(&old);
  Type *four = FixedVectorType::get(builder.getFloatTy(), 4);
  Value *loaded = call(builder, *old.getModule(), mangle("vload_half4", mangled.types), four,
                       {old.getArgOperand(0), old.getArgOperand(1)});
  old.replaceAllUsesWith(builder.CreateShuffleVector(loaded, {0, 1, 2}));
  return true;
}

/// `to_global` and its like, which are clang's own built-in functions: the address, if it is in that memory, or null.
bool replace_address_cast(CallInst &old, StringRef name) {
  struct Row {
    const char *name, *spirv;
    uint32_t storage_class;
  };
  static const Row rows[] = {{"__to_global", "_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi", 5},
                             {"__to_local", "_Z40__spirv_GenericCastToPtrExplicit_ToLocalPvi", 4},
                             {"__to_private", "_Z42__spirv_GenericCastToPtrExplicit_ToPrivatePvi", 7}};
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    IRBuilder<> builder(&old);
    old.replaceAllUsesWith(call(builder, *old.getModule(), row.spirv, old.getType(),
                                {old.getArgOperand(0), builder.getInt32(row.storage_class)}));
    return true;
  }
  return false;
}

/// Conversions to half and double become instructions; a rounding mode is a decoration of them.
bool replace_conversion(CallInst &old, const Mangled &mangled) {
  Type *to = old.getType();
  if (!mangled.name.starts_with("convert_half") && !mangled.name.starts_with("convert_double"))
    return false;
  if (mangled.name.contains("_sat"))
    return false;
  Value *value = old.getArgOperand(0);
  Type *from = value->getType();
  IRBuilder<> builder(&old);
  if (from == to) {
    old.replaceAllUsesWith(value);
    return true;
  }
  Value *made;
  if (from->isIntOrIntVectorTy())
    made = is_signed(mangled.types) ? builder.CreateSIToFP(value, to) : builder.CreateUIToFP(value, to);
  else
    made = builder.CreateFPCast(value, to);
  const int mode = StringSwitch<int>(mangled.name.take_back(4))
                       .Case("_rte", 0)
                       .Case("_rtz", 1)
                       .Case("_rtp", 2)
                       .Case("_rtn", 3)
                       .Default(-1);
  if (auto *instruction = dyn_cast<Instruction>(made); instruction && mode >= 0) {
    LLVMContext &context = old.getContext();
    const uint32_t rounding_mode = 39;
    auto constant = [&](uint32_t n) { return ConstantAsMetadata::get(builder.getInt32(n)); };
    MDNode *decoration = MDNode::get(context, {constant(rounding_mode), constant(mode)});
    instruction->setMetadata("spirv.Decorations", MDNode::get(context, {decoration}));
  }
  old.replaceAllUsesWith(made);
  return true;
}

// ---- images

/// Halves are read as floats: the target knows no other function.
bool replace_half_read(CallInst &old, const Mangled &mangled) {
  if (mangled.name != "read_imageh")
    return false;
  IRBuilder<> builder(&old);
  Type *floats = old.getType()->getWithNewType(builder.getFloatTy());
  SmallVector<Value *> arguments(old.args());
  Value *read = call(builder, *old.getModule(), mangle("read_imagef", mangled.types), floats, arguments);
  old.replaceAllUsesWith(builder.CreateFPTrunc(read, old.getType()));
  return true;
}

/// Reads at a level of detail, or by gradients, of which the target forgets both. What has gradients is a call by a name of
/// ours: `imports` makes an instruction of it.
bool replace_level_read(CallInst &old, const Mangled &mangled) {
  if (!mangled.name.starts_with("read_image"))
    return false;
  auto *type = cast<TargetExtType>(old.getArgOperand(0)->getType());
  const StringRef sampler = "11ocl_sampler";
  const size_t at = mangled.types.find(sampler);
  IRBuilder<> builder(&old);
  Module &module = *old.getModule();
  Type *sampled = TargetExtType::get(old.getContext(), "spirv.SampledImage", type->type_params(), type->int_params());
  Value *pair = call(builder, module, mangle("__spirv_SampledImage", mangled.types.take_front(at + sampler.size()).str()),
                     sampled, {old.getArgOperand(0), old.getArgOperand(1)});
  // Depths are read as colours.
  Type *number = old.getType()->getScalarType();
  Type *color = FixedVectorType::get(number, 4);
  const bool is_float = number->isFloatTy();
  Value *made;
  if (old.arg_size() == 4) {
    const char *name = is_float ? "__spirv_ImageSampleExplicitLod_Rfloat4" : "__spirv_ImageSampleExplicitLod_Ruint4";
    made = call(builder, module, mangle(name, (mangled.types + "i").str()), color,
                {pair, old.getArgOperand(2), builder.getInt32(2), old.getArgOperand(3)});
  } else {
    SmallVector<Value *> arguments{pair, old.getArgOperand(2)};
    for (Value *gradient : {old.getArgOperand(3), old.getArgOperand(4)}) {
      // In OpenCL C those of three numbers have four.
      auto *vector = dyn_cast<FixedVectorType>(gradient->getType());
      const bool has_fourth = vector && vector->getNumElements() == 4;
      arguments.push_back(has_fourth ? builder.CreateShuffleVector(gradient, {0, 1, 2}) : gradient);
    }
    const std::string name = (Twine("oxicl.sample_gradients.") + (is_float ? "f" : "i") + mangled.types).str();
    made = call(builder, module, name, color, arguments);
  }
  old.replaceAllUsesWith(old.getType()->isVectorTy() ? made : builder.CreateExtractElement(made, uint64_t(0)));
  return true;
}

/// Writes at a level of detail, which the target takes for the texel: a call by a name of ours, for `imports`.
bool replace_level_write(CallInst &old, const Mangled &mangled) {
  if (!mangled.name.starts_with("write_image"))
    return false;
  IRBuilder<> builder(&old);
  SmallVector<Value *> arguments(old.args());
  call(builder, *old.getModule(), ("oxicl.write_level." + mangled.types).str(), old.getType(), arguments);
  return true;
}

/// What a function gives, corrected: the target answers with the numbers of SPIR-V, which count from 0, and has the fourth
/// component of a size undefined.
void correct_query(CallInst &call, const Mangled &mangled) {
  IRBuilder<> builder(call.getNextNode());
  Value *corrected = nullptr;
  if (mangled.name == "get_image_channel_order")
    corrected = builder.CreateAdd(&call, builder.getInt32(0x10B0));
  else if (mangled.name == "get_image_channel_data_type")
    corrected = builder.CreateAdd(&call, builder.getInt32(0x10D0));
  else if (auto *type = dyn_cast<FixedVectorType>(call.getType());
           mangled.name == "get_image_dim" && type && type->getNumElements() == 4)
    corrected = builder.CreateInsertElement(&call, builder.getInt32(0), uint64_t(3));
  if (corrected)
    call.replaceUsesWithIf(corrected, [&](Use &use) { return use.getUser() != corrected; });
}

} // namespace

void replace_builtins(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    Mangled mangled(function.getName());
    if (!function.isDeclaration())
      continue;
    const StringRef name = mangled.name.empty() ? function.getName() : mangled.name;
    for (User *user : make_early_inc_range(function.users())) {
      auto *old = dyn_cast<CallInst>(user);
      if (!old || old->getCalledFunction() != &function || !is_replaced(*old, name, mangled.types))
        continue;
      if (replace_address_cast(*old, function.getName()) || replace_atomic(*old, mangled) ||
          replace_compare_exchange(*old, mangled) || replace_explicit_access(*old, mangled) ||
          replace_barrier(*old, mangled) || replace_aligned_load(*old, mangled) || replace_saturation(*old, mangled) ||
          replace_integer_conversion(*old, mangled) || replace_conversion(*old, mangled) ||
          replace_half_read(*old, mangled) || replace_level_read(*old, mangled) || replace_level_write(*old, mangled))
        old->eraseFromParent();
      else
        correct_query(*old, mangled);
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}
