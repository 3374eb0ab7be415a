// What clang's module needs before the SPIR-V target takes it.

#include <string>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include "shim.h"

using namespace llvm;

namespace {

/// The prefix that clang gives the body of a kernel, which the kernel itself only calls.
const char *const BODY = "__clang_ocl_kern_imp_";

/// A kernel gets its body: clang makes it a function that calls one, which would be inlined into it, and stay beside it.
void join_kernel(Function &kernel) {
  Function *body = kernel.getParent()->getFunction((BODY + kernel.getName()).str());
  if (!body || body->isDeclaration() || body->arg_size() != kernel.arg_size())
    return;
  SmallVector<std::pair<unsigned, MDNode *>> metadata;
  kernel.getAllMetadata(metadata);
  kernel.deleteBody();
  ValueToValueMapTy map;
  for (auto [from, to] : zip(body->args(), kernel.args())) {
    to.setName(from.getName());
    map[&from] = &to;
  }
  AttributeList attributes = kernel.getAttributes();
  CallingConv::ID convention = kernel.getCallingConv();
  SmallVector<ReturnInst *, 8> returns;
  CloneFunctionInto(&kernel, body, map, CloneFunctionChangeType::LocalChangesOnly, returns);
  kernel.setAttributes(attributes);
  kernel.setCallingConv(convention);
  kernel.setLinkage(GlobalValue::ExternalLinkage);
  DISubprogram *place = kernel.getSubprogram();
  kernel.clearMetadata();
  for (auto [kind, node] : metadata)
    if (kind != LLVMContext::MD_dbg)
      kernel.addMetadata(kind, *node);
  kernel.setSubprogram(place);
}

void join_kernels(Module &module) {
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::SPIR_KERNEL && !function.isDeclaration())
      join_kernel(function);
  // The bodies are what kernels call where they call each other, also from one program into another: an entry point
  // cannot be called.
  for (Function &function : module) {
    if (!function.getName().starts_with(BODY))
      continue;
    function.setLinkage(GlobalValue::ExternalLinkage);
    function.removeFnAttr(Attribute::AlwaysInline);
    for (const char *kind : {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                             "kernel_arg_base_type", "kernel_arg_type_qual", "kernel_arg_name", "reqd_work_group_size",
                             "work_group_size_hint", "vec_type_hint", "intel_reqd_sub_group_size"})
      function.setMetadata(kind, nullptr);
  }
}

/// How functions are inlined is for the kernel compiler to decide.
void drop_inlining(Module &module) {
  for (Function &function : module) {
    function.removeFnAttr(Attribute::NoInline);
    if (function.hasAvailableExternallyLinkage()) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.removeFnAttr(Attribute::AlwaysInline);
    }
  }
}

/// Only blocks hold addresses of functions, their own, and a call of a block does not read it. SPIR-V has none.
void forget_addresses_of_functions(Module &module) {
  for (Function &function : module)
    for (User *user : make_early_inc_range(function.users()))
      if (auto *address = dyn_cast<ConstantExpr>(user))
        address->replaceAllUsesWith(Constant::getNullValue(address->getType()));
}

/// Nothing but kernels can be called from outside.
void keep_functions_in(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() && function.getCallingConv() != CallingConv::SPIR_KERNEL)
      function.setLinkage(GlobalValue::InternalLinkage);
}

/// The target writes variables down when it comes to the first function: where there is none, one that nobody calls.
void keep_variables(Module &module) {
  auto has_body = [](const Function &function) { return !function.isDeclaration(); };
  if (module.global_empty() || any_of(module, has_body))
    return;
  LLVMContext &context = module.getContext();
  FunctionType *type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
  Function *function = Function::Create(type, GlobalValue::InternalLinkage, "oxicl.variables", module);
  function->setCallingConv(CallingConv::SPIR_FUNC);
  ReturnInst::Create(context, BasicBlock::Create(context, "", function));
}

void drop_unused(Module &module) {
  for (bool again = true; again;) {
    again = false;
    for (Function &function : make_early_inc_range(module)) {
      function.removeDeadConstantUsers();
      bool own = function.hasLocalLinkage() || function.isDeclaration() || function.isDiscardableIfUnused();
      if (own && function.use_empty()) {
        function.eraseFromParent();
        again = true;
      }
    }
    for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
      variable.removeDeadConstantUsers();
      if ((variable.hasLocalLinkage() || variable.isDeclaration()) && variable.use_empty()) {
        variable.eraseFromParent();
        again = true;
      }
    }
  }
}

/// A type's name inside a mangled name; empty for what has none here.
std::string mangled(Type *type) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return "Dv" + utostr(vector->getNumElements()) + "_" + mangled(vector->getElementType());
  return type->isHalfTy() ? "Dh" : type->isFloatTy() ? "f" : type->isDoubleTy() ? "d" : "";
}

/// `a * b + c`, contracted: fused where that is fast, which is what `mad` says, not at any price, as `fma` would.
void contract_with_mad(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (function.getIntrinsicID() != Intrinsic::fmuladd)
      continue;
    Type *type = function.getReturnType();
    std::string one = mangled(type);
    std::string more = type->isVectorTy() ? "S_S_" : one + one;
    FunctionCallee mad = module.getOrInsertFunction("_Z3mad" + one + more, function.getFunctionType());
    auto *callee = cast<Function>(mad.getCallee());
    callee->setCallingConv(CallingConv::SPIR_FUNC);
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      call->setCalledFunction(callee);
      call->setCallingConv(CallingConv::SPIR_FUNC);
      call->setAttributes({});
    }
    function.eraseFromParent();
  }
}

/// An aggregate with other parts; those of structures may have other types.
Constant *rebuilt(Constant *aggregate, ArrayRef<Constant *> parts) {
  if (auto *type = dyn_cast<ArrayType>(aggregate->getType()))
    return ConstantArray::get(type, parts);
  if (isa<FixedVectorType>(aggregate->getType()))
    return ConstantVector::get(parts);
  auto *type = cast<StructType>(aggregate->getType());
  for (auto [part, element] : zip(parts, type->elements()))
    if (part->getType() != element)
      return ConstantStruct::getAnon(parts, type->isPacked());
  return ConstantStruct::get(type, parts);
}

/// Null of one address space as another is null: the target would write a number in its place.
Constant *without_casts_of_null(Constant *constant) {
  if (auto *cast = dyn_cast<ConstantExpr>(constant))
    return cast->getOpcode() == Instruction::AddrSpaceCast && cast->getOperand(0)->isNullValue()
               ? Constant::getNullValue(cast->getType())
               : constant;
  if (!isa<ConstantAggregate>(constant))
    return constant;
  SmallVector<Constant *> parts;
  for (Use &part : constant->operands())
    parts.push_back(without_casts_of_null(::cast<Constant>(part)));
  return rebuilt(constant, parts);
}

/// Whether a member is what clang fills a gap with that would be there without it.
bool fills_gap(const DataLayout &data, const StructLayout &layout, const ConstantStruct &structure, unsigned member) {
  auto *bytes = dyn_cast<ArrayType>(structure.getOperand(member)->getType());
  if (!bytes || !bytes->getElementType()->isIntegerTy(8) || !(structure.getOperand(member)->isNullValue() ||
      isa<UndefValue>(structure.getOperand(member))))
    return false;
  const uint64_t start = layout.getElementOffset(member);
  if (member + 1 == structure.getNumOperands())
    return alignTo(start, layout.getAlignment()) == layout.getSizeInBytes();
  const Align next = data.getABITypeAlign(structure.getOperand(member + 1)->getType());
  return next > 1 && alignTo(start, next) == layout.getElementOffset(member + 1);
}

/// An initialiser of the type that other modules declare its variable with: clang fills the gaps in structures.
Constant *without_padding(const DataLayout &data, Constant *constant) {
  auto *structure = dyn_cast<ConstantStruct>(constant);
  if (!structure || !structure->getType()->isLiteral() || structure->getType()->isPacked())
    return constant;
  const StructLayout &layout = *data.getStructLayout(structure->getType());
  SmallVector<Constant *> parts;
  for (unsigned member = 0; member < structure->getNumOperands(); ++member)
    if (!fills_gap(data, layout, *structure, member))
      parts.push_back(without_padding(data, structure->getOperand(member)));
  Constant *result = ConstantStruct::getAnon(parts);
  return data.getTypeAllocSize(result->getType()) == layout.getSizeInBytes() ? result : constant;
}

/// Initialisers of variables as the target takes them.
void clean_initialisers(Module &module) {
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    if (!variable.hasInitializer())
      continue;
    Constant *value = without_padding(module.getDataLayout(), without_casts_of_null(variable.getInitializer()));
    if (value->getType() == variable.getValueType()) {
      variable.setInitializer(value);
      continue;
    }
    auto *other = new GlobalVariable(module, value->getType(), variable.isConstant(), variable.getLinkage(), value, "",
                                     &variable, variable.getThreadLocalMode(), variable.getAddressSpace());
    other->copyAttributesFrom(&variable);
    other->copyMetadata(&variable, 0);
    other->takeName(&variable);
    variable.replaceAllUsesWith(other);
    variable.eraseFromParent();
  }
}

/// The pointer operands by which the target takes a variable to have the type that is read and written there, in place of its
/// own: it would become smaller.
SmallVector<Use *> typed_by_use(Instruction &instruction) {
  SmallVector<Use *> result;
  if (auto *call = dyn_cast<CallBase>(&instruction))
    for (Use &argument : call->args())
      result.push_back(&argument);
  else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction))
    result.push_back(&instruction.getOperandUse(0));
  return result;
}

/// Variables keep their types: a step of zero, which the builder would fold away, stands before those operands.
void keep_types_of_variables(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        for (Use *use : typed_by_use(instruction)) {
          auto *variable = dyn_cast<GlobalVariable>(use->get()->stripPointerCasts());
          if (!variable)
            continue;
          IRBuilder<> builder(&instruction);
          Value *step = builder.Insert(
              GetElementPtrInst::CreateInBounds(variable->getValueType(), variable, {builder.getInt64(0)}));
          if (use->get()->getType() != step->getType())
            step = builder.CreateAddrSpaceCast(step, use->get()->getType());
          use->set(step);
        }
}

/// A number that is truncated, then extended to less or more than it had, is a conversion and a mask: the target makes an `and` of
/// operands of different widths of it, or of one without a type.
void mask_narrowed(Module &module) {
  SmallVector<ZExtInst *> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *extended = dyn_cast<ZExtInst>(&instruction))
        if (auto *narrow = dyn_cast<TruncInst>(extended->getOperand(0)))
          if (narrow->getSrcTy() != extended->getType())
            found.push_back(extended);
  for (ZExtInst *extended : found) {
    auto *narrow = cast<TruncInst>(extended->getOperand(0));
    Type *to = extended->getType();
    APInt mask = APInt::getLowBitsSet(to->getScalarSizeInBits(), narrow->getType()->getScalarSizeInBits());
    IRBuilder<> builder(extended);
    Value *number = builder.CreateZExtOrTrunc(narrow->getOperand(0), to);
    extended->replaceAllUsesWith(builder.CreateAnd(number, ConstantInt::get(to, mask)));
    extended->eraseFromParent();
    if (narrow->use_empty())
      narrow->eraseFromParent();
  }
}

void give_fact(const Sink &sink, StringRef kind, StringRef kernel, ArrayRef<std::string> values) {
  std::string text = kind.str() + '\0' + kernel.str() + '\0';
  for (const std::string &value : values)
    text += value + '\0';
  sink(OXICL_FACT, text);
}

/// The strings of a kernel's metadata.
std::vector<std::string> strings(const Function &kernel, const char *kind) {
  std::vector<std::string> result;
  if (const MDNode *node = kernel.getMetadata(kind))
    for (const MDOperand &operand : node->operands())
      if (auto *string = dyn_cast<MDString>(operand))
        result.push_back(string->getString().str());
  return result;
}

/// The attributes of a kernel, as source text has them.
std::vector<std::string> attributes(const Function &kernel) {
  std::vector<std::string> result;
  auto number = [](const MDOperand &operand) {
    return mdconst::extract<ConstantInt>(operand)->getZExtValue();
  };
  if (const MDNode *node = kernel.getMetadata("vec_type_hint")) {
    Type *type = cast<ValueAsMetadata>(node->getOperand(0))->getType();
    result.push_back("vec_type_hint(" + name_of(type, number(node->getOperand(1))) + ")");
  }
  for (const char *kind : {"work_group_size_hint", "reqd_work_group_size", "intel_reqd_sub_group_size"})
    if (const MDNode *node = kernel.getMetadata(kind)) {
      std::string numbers;
      for (const MDOperand &operand : node->operands())
        numbers += (numbers.empty() ? "" : ",") + utostr(number(operand));
      result.push_back(kind + ("(" + numbers + ")"));
    }
  return result;
}

void tell_facts(const Module &module, const Sink &sink) {
  for (const Function &function : module) {
    if (function.getCallingConv() != CallingConv::SPIR_KERNEL || function.isDeclaration())
      continue;
    for (const char *kind : {"kernel_arg_type", "kernel_arg_type_qual"})
      give_fact(sink, kind, function.getName(), strings(function, kind));
    std::vector<std::string> declared = attributes(function);
    if (!declared.empty())
      give_fact(sink, "kernel_attributes", function.getName(), declared);
  }
}

/// Arguments of kernels have the names that clang was asked to keep, and nothing else has one.
void name_arguments(Module &module) {
  module.getContext().setDiscardValueNames(false);
  for (Function &function : module) {
    std::vector<std::string> names = strings(function, "kernel_arg_name");
    if (function.getCallingConv() == CallingConv::SPIR_KERNEL && names.size() == function.arg_size())
      for (auto [argument, name] : zip(function.args(), names))
        argument.setName(name);
  }
}

/// Functions that stand for what the SPIR-V target cannot translate.
void refuse(const Module &module, std::string &errors) {
  for (const Function &function : module)
    if (function.isDeclaration() &&
        (function.getName().starts_with("__enqueue_kernel_") || function.getName().starts_with("__get_kernel_")))
      errors += "error: kernels enqueued by kernels (enqueue_kernel and queries of blocks) are not supported\n";
}

} // namespace

std::string name_of(Type *type, bool has_sign) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return name_of(vector->getElementType(), has_sign) + utostr(vector->getNumElements());
  if (!type->isIntegerTy())
    return type->isHalfTy() ? "half" : type->isFloatTy() ? "float" : type->isDoubleTy() ? "double" : "";
  const unsigned bits = type->getIntegerBitWidth();
  return std::string(has_sign ? "" : "u") + (bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long");
}

size_t count_unreached(const Module &module) {
  SmallPtrSet<const Function *, 32> reached;
  SmallVector<const Function *> next;
  for (const Function &function : module)
    if (function.getCallingConv() == CallingConv::SPIR_KERNEL && reached.insert(&function).second)
      next.push_back(&function);
  while (!next.empty())
    for (const Instruction &instruction : instructions(*next.pop_back_val()))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (const Function *callee = call->getCalledFunction(); callee && reached.insert(callee).second)
          next.push_back(callee);
  size_t count = 0;
  // Without a kernel it is there for others.
  if (reached.empty())
    return count;
  for (const Function &function : module)
    if (!reached.contains(&function))
      count += function.getInstructionCount();
  return count;
}

void clean_up(Module &module, bool whole, const Sink &sink, std::string &errors) {
  refuse(module, errors);
  if (!errors.empty())
    return;
  join_kernels(module);
  forget_addresses_of_functions(module);
  drop_inlining(module);
  if (whole)
    keep_functions_in(module);
  drop_unused(module);
  contract_with_mad(module);
  replace_builtins(module);
  clean_initialisers(module);
  keep_types_of_variables(module);
  mask_narrowed(module);
  keep_variables(module);
  name_arguments(module);
  tell_facts(module, sink);
}
