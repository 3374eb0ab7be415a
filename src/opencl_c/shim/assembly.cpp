// Inline assembly. There is no instruction set that a program could write in, as none is known before it is built for a device.
// What has no text is taken: it is how C programs keep a compiler from moving accesses or from knowing a value.

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "assembly.h"

using namespace llvm;

namespace {

/// The fence of OpenCL C for local and global memory. On the processors that there are, it is an instruction for nobody but
/// the compiler.
void fence(CallInst &before) {
  const unsigned local_and_global = 3;
  IRBuilder<> builder(&before);
  FunctionCallee callee = before.getModule()->getOrInsertFunction("_Z9mem_fencej", builder.getVoidTy(), builder.getInt32Ty());
  cast<Function>(callee.getCallee())->setCallingConv(CallingConv::SPIR_FUNC);
  builder.CreateCall(callee, builder.getInt32(local_and_global))->setCallingConv(CallingConv::SPIR_FUNC);
}

/// What assembly without text gives: the inputs that its outputs share a place with, and zeros for outputs that nothing
/// writes.
SmallVector<Value *> outputs_of(const CallInst &call, const InlineAsm::ConstraintInfoVector &constraints) {
  SmallVector<Value *> arguments;
  unsigned count = 0;
  for (const InlineAsm::ConstraintInfo &constraint : constraints)
    arguments.push_back(constraint.hasArg() ? call.getArgOperand(count++) : nullptr);
  SmallVector<Value *> outputs;
  auto *several = dyn_cast<StructType>(call.getType());
  for (const InlineAsm::ConstraintInfo &constraint : constraints) {
    if (constraint.Type != InlineAsm::isOutput || constraint.isIndirect)
      continue;
    Type *type = several ? several->getElementType(outputs.size()) : call.getType();
    Value *input = constraint.hasMatchingInput() ? arguments[constraint.MatchingInput] : nullptr;
    outputs.push_back(input && input->getType() == type ? input : Constant::getNullValue(type));
  }
  return outputs;
}

/// Takes assembly without text out of a module.
void drop(CallInst &call) {
  const auto *assembly = cast<InlineAsm>(call.getCalledOperand());
  const InlineAsm::ConstraintInfoVector constraints = assembly->ParseConstraints();
  for (const InlineAsm::ConstraintInfo &constraint : constraints)
    if (constraint.Type == InlineAsm::isClobber && is_contained(constraint.Codes, "{memory}"))
      fence(call);
  SmallVector<Value *> outputs = outputs_of(call, constraints);
  if (call.getType()->isStructTy()) {
    // Clang takes the outputs apart at once.
    for (User *user : make_early_inc_range(call.users())) {
      auto *part = cast<ExtractValueInst>(user);
      part->replaceAllUsesWith(outputs[part->getIndices()[0]]);
      part->eraseFromParent();
    }
  } else if (!outputs.empty()) {
    call.replaceAllUsesWith(outputs[0]);
  }
  call.eraseFromParent();
}

class Assembly : public clang::ASTConsumer {
public:
  explicit Assembly(clang::CodeGenerator &generator) : generator_(generator) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *declaration : group)
      if (auto *assembly = dyn_cast<clang::FileScopeAsmDecl>(declaration))
        if (!StringRef(assembly->getAsmString()).trim().empty())
          refuse(assembly->getASTContext().getDiagnostics(), assembly->getAsmLoc());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    Module *module = generator_.GetModule();
    // There is none if there were errors.
    if (!module)
      return;
    module->setModuleInlineAsm("");
    SmallVector<CallBase *> found;
    for (Function &function : *module)
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isInlineAsm())
          found.push_back(call);
    for (CallBase *call : found)
      take(context.getDiagnostics(), *call);
  }

private:
  clang::CodeGenerator &generator_;

  void take(clang::DiagnosticsEngine &diagnostics, CallBase &call) {
    const auto *assembly = cast<InlineAsm>(call.getCalledOperand());
    auto *plain = dyn_cast<CallInst>(&call);
    if (plain && assembly->getAsmString().trim().empty())
      return drop(*plain);
    // Clang notes where each line is that the assembler might complain of.
    clang::SourceLocation place;
    if (const MDNode *lines = call.getMetadata("srcloc"); lines && lines->getNumOperands())
      if (const auto *line = mdconst::dyn_extract<ConstantInt>(lines->getOperand(0)))
        place = clang::SourceLocation::getFromRawEncoding(static_cast<unsigned>(line->getZExtValue()));
    refuse(diagnostics, place);
  }

  static void refuse(clang::DiagnosticsEngine &diagnostics, clang::SourceLocation place) {
    diagnostics.Report(place, diagnostics.getCustomDiagID(
                                  clang::DiagnosticsEngine::Error,
                                  "inline assembly is not supported, but for statements without text and labels"));
  }
};

} // namespace

std::unique_ptr<clang::ASTConsumer> take_assembly(clang::CodeGenerator &generator) {
  return std::make_unique<Assembly>(generator);
}
