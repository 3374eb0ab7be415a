// What operations cost on a machine, as LLVM's own vectorisers ask for it: TargetTransformInfo, which LLVM's C API does not have.

#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

/// The cost is that of many independent ones, one after another.
constexpr TargetTransformInfo::TargetCostKind KIND = TargetTransformInfo::TCK_RecipThroughput;

/// Costs are a machine's for a function, which may ask for another processor's.
struct Costs {
  std::unique_ptr<Module> module;
  Function *function;
  TargetTransformInfo info;
};

/// A cost, or a number below zero where there is none.
int64_t answer(InstructionCost cost) { return cost.isValid() ? cost.getValue() : -1; }

/// The opcode that `LLVMOpcode` stands for, where it is one whose cost may be asked for here; else 0.
unsigned opcode(LLVMOpcode from) {
  switch (from) {
#define SAME(NAME)                                                                                                     \
  case LLVM##NAME:                                                                                                     \
    return Instruction::NAME;
    SAME(FNeg)
    SAME(Add) SAME(FAdd) SAME(Sub) SAME(FSub) SAME(Mul) SAME(FMul)
    SAME(UDiv) SAME(SDiv) SAME(FDiv) SAME(URem) SAME(SRem) SAME(FRem)
    SAME(Shl) SAME(LShr) SAME(AShr) SAME(And) SAME(Or) SAME(Xor)
    SAME(Load) SAME(Store)
    SAME(Trunc) SAME(ZExt) SAME(SExt) SAME(FPToUI) SAME(FPToSI) SAME(UIToFP) SAME(SIToFP) SAME(FPTrunc) SAME(FPExt)
    SAME(ICmp) SAME(FCmp) SAME(Select)
#undef SAME
  default:
    return 0;
  }
}

/// The order of Rust's `Shuffle`.
constexpr TargetTransformInfo::ShuffleKind SHUFFLES[] = {
    TargetTransformInfo::SK_Broadcast,        TargetTransformInfo::SK_Reverse,
    TargetTransformInfo::SK_Select,           TargetTransformInfo::SK_PermuteSingleSrc,
    TargetTransformInfo::SK_PermuteTwoSrc,    TargetTransformInfo::SK_ExtractSubvector,
    TargetTransformInfo::SK_InsertSubvector,
};

} // namespace

extern "C" {

/// Costs on a machine, tuned for a processor if a name is given. Both machine and context have to outlive them.
Costs *oxicl_costs_new(LLVMTargetMachineRef machine, LLVMContextRef context, const char *tune) {
  auto *target = reinterpret_cast<TargetMachine *>(machine);
  auto module = std::make_unique<Module>("costs", *unwrap(context));
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  auto *type = FunctionType::get(Type::getVoidTy(*unwrap(context)), false);
  auto *function = Function::Create(type, Function::ExternalLinkage, "costs", *module);
  if (*tune)
    function->addFnAttr("tune-cpu", tune);
  return new Costs{std::move(module), function, target->getTargetTransformInfo(*function)};
}

void oxicl_costs_delete(Costs *costs) { delete costs; }

/// Vector registers, and the bits of each.
void oxicl_costs_registers(const Costs *costs, uint32_t *count, uint32_t *bits) {
  *count = costs->info.getNumberOfRegisters(costs->info.getRegisterClassForType(/*Vector=*/true));
  *bits = costs->info.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
}

/// The second operand is one constant in all lanes if `constant`; else nothing is known of it.
int64_t oxicl_costs_arithmetic(const Costs *costs, LLVMOpcode of, LLVMTypeRef type, bool constant) {
  TargetTransformInfo::OperandValueInfo any = {TargetTransformInfo::OK_AnyValue, TargetTransformInfo::OP_None};
  auto second = any;
  if (constant)
    second.Kind = TargetTransformInfo::OK_UniformConstantValue;
  return answer(costs->info.getArithmeticInstrCost(opcode(of), unwrap(type), KIND, any, second));
}

/// Of a number put into a lane, or taken out of one.
int64_t oxicl_costs_element(const Costs *costs, bool insert, LLVMTypeRef type) {
  unsigned of = insert ? Instruction::InsertElement : Instruction::ExtractElement;
  // The second: the first of a register is often free, and one that is not known goes through memory.
  return answer(costs->info.getVectorInstrCost(of, unwrap(type), KIND, 1));
}

int64_t oxicl_costs_cast(const Costs *costs, LLVMOpcode of, LLVMTypeRef from, LLVMTypeRef to) {
  auto hint = TargetTransformInfo::CastContextHint::None;
  return answer(costs->info.getCastInstrCost(opcode(of), unwrap(to), unwrap(from), hint, KIND));
}

/// Of a comparison of values of a type, or of a choice between two.
int64_t oxicl_costs_compare(const Costs *costs, LLVMOpcode of, LLVMTypeRef type, unsigned predicate) {
  Type *condition = CmpInst::makeCmpResultType(unwrap(type));
  auto compares = static_cast<CmpInst::Predicate>(predicate);
  return answer(costs->info.getCmpSelInstrCost(opcode(of), unwrap(type), condition, compares, KIND));
}

int64_t oxicl_costs_memory(const Costs *costs, LLVMOpcode of, LLVMTypeRef type, uint32_t align, uint32_t space) {
  return answer(costs->info.getMemoryOpCost(opcode(of), unwrap(type), Align(align), space, KIND));
}

/// Of an access to neighbours under a mask that is not known.
int64_t oxicl_costs_masked(const Costs *costs, bool store, LLVMTypeRef type, uint32_t align, uint32_t space) {
  auto id = store ? Intrinsic::masked_store : Intrinsic::masked_load;
  MemIntrinsicCostAttributes access(id, unwrap(type), Align(align), space);
  return answer(costs->info.getMemIntrinsicInstrCost(access, KIND));
}

/// Of an access to a place of each lane's own.
int64_t oxicl_costs_scattered(const Costs *costs, bool store, LLVMTypeRef type, uint32_t align, uint32_t space,
                              bool masked) {
  auto *vector = cast<FixedVectorType>(unwrap(type));
  auto *pointer = PointerType::get(vector->getContext(), space);
  auto *places = PoisonValue::get(FixedVectorType::get(pointer, vector->getNumElements()));
  auto id = store ? Intrinsic::masked_scatter : Intrinsic::masked_gather;
  MemIntrinsicCostAttributes access(id, vector, places, masked, Align(align));
  return answer(costs->info.getMemIntrinsicInstrCost(access, KIND));
}

/// Of an access to the first `used` of `factor` interleaved vectors, which a vector has all numbers of.
int64_t oxicl_costs_interleaved(const Costs *costs, LLVMOpcode of, LLVMTypeRef type, uint32_t factor, uint32_t used,
                                uint32_t align, uint32_t space) {
  SmallVector<unsigned, 8> indices;
  for (unsigned index = 0; index < used; ++index)
    indices.push_back(index);
  return answer(
      costs->info.getInterleavedMemoryOpCost(opcode(of), unwrap(type), factor, indices, Align(align), space, KIND));
}

/// Of a shuffle whose operands have a type; `part` is that of what is taken or put in from the middle on, or the type again.
int64_t oxicl_costs_shuffle(const Costs *costs, uint32_t kind, LLVMTypeRef type, LLVMTypeRef part) {
  auto *whole = cast<FixedVectorType>(unwrap(type));
  auto *piece = cast<FixedVectorType>(unwrap(part));
  auto *result = SHUFFLES[kind] == TargetTransformInfo::SK_ExtractSubvector ? piece : whole;
  int middle = whole->getNumElements() / 2;
  return answer(costs->info.getShuffleCost(SHUFFLES[kind], result, whole, {}, KIND, piece == whole ? 0 : middle, piece));
}

/// Of a call of LLVM's intrinsic function of a name.
int64_t oxicl_costs_intrinsic(const Costs *costs, const char *name, LLVMTypeRef result, const LLVMTypeRef *arguments,
                              size_t count) {
  Intrinsic::ID id = Intrinsic::lookupIntrinsicID(name);
  if (id == Intrinsic::not_intrinsic)
    return -1;
  SmallVector<Type *, 4> types;
  for (size_t index = 0; index < count; ++index)
    types.push_back(unwrap(arguments[index]));
  return answer(costs->info.getIntrinsicInstrCost(IntrinsicCostAttributes(id, unwrap(result), types), KIND));
}
}
