// Runs clang's front end over a program in memory, and LLVM's SPIR-V target over what it makes.

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include <unistd.h>

#include "files.h"

using namespace clang;

extern "C" {
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

namespace {

/// An `inline` function without `extern` has no definition of its own in C99, and at -O0 clang leaves its body away. Every
/// other OpenCL compiler has it: so the body is asked for, and `clean_up` makes it the module's own.
class KeepInlineBodies : public ASTConsumer {
public:
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      if (auto *function = dyn_cast<FunctionDecl>(declaration))
        if (function->isInlineSpecified() && !function->hasAttr<AlwaysInlineAttr>())
          function->addAttr(AlwaysInlineAttr::CreateImplicit(function->getASTContext()));
    return true;
  }
};

/// Tells when the result depends on the time of day, or on that of a file.
class Clock : public PPCallbacks {
public:
  explicit Clock(const Sink &sink) : sink_(sink) {}
  void MacroExpands(const Token &name, const MacroDefinition &, SourceRange, const MacroArgs *) override {
    const IdentifierInfo *macro = name.getIdentifierInfo();
    if (macro && (macro->isStr("__DATE__") || macro->isStr("__TIME__") || macro->isStr("__TIMESTAMP__")))
      sink_(OXICL_TIME, "");
  }

private:
  Sink sink_;
};

class Action : public EmitLLVMOnlyAction {
public:
  Action(llvm::LLVMContext *context, const Sink &sink) : EmitLLVMOnlyAction(context), sink_(sink) {}

protected:
  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Clock>(sink_));
    return EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef file) override {
    auto emit = EmitLLVMOnlyAction::CreateASTConsumer(compiler, file);
    if (!emit)
      return nullptr;
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<KeepInlineBodies>());
    consumers.push_back(std::move(emit));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

private:
  Sink sink_;
};

/// Writes OpLine in front of instructions whose place in the source is known, which LLVM's SPIR-V target leaves away. The
/// operand that stands for the file is its number among those that the sink is told of.
class Lines : public llvm::AsmPrinterHandler {
public:
  Lines(llvm::AsmPrinter &printer, const Sink &sink)
      : printer_(printer), names_(*printer.TM.getMCInstrInfo()), sink_(sink) {
    while (opcode_ < names_.getNumOpcodes() && names_.getName(opcode_) != "OpLine")
      ++opcode_;
  }
  void beginFunction(const llvm::MachineFunction *) override {
    in_function_ = false;
    block_ = nullptr;
  }
  void endFunction(const llvm::MachineFunction *) override {}
  void endModule() override {}

  void beginInstruction(const llvm::MachineInstr *instruction) override {
    StringRef name = names_.getName(instruction->getOpcode());
    // Constants come before it that are written elsewhere.
    if (name == "OpFunction") {
      in_function_ = true;
      if (const llvm::DISubprogram *function = instruction->getMF()->getFunction().getSubprogram())
        write(number_of(function->getFilename()), function->getLine(), 0);
      return;
    }
    // Nothing may stand between a merge and its branch.
    const bool behind_merge = behind_merge_;
    behind_merge_ = name.ends_with("Merge");
    const bool stands_first =
        name == "OpFunctionParameter" || name == "OpLabel" || name == "OpVariable" || name == "OpPhi";
    const llvm::DebugLoc &place = instruction->getDebugLoc();
    if (!in_function_ || behind_merge || stands_first || !place || !place.getLine())
      return;
    auto *scope = llvm::dyn_cast<llvm::DIScope>(place.getScope());
    const unsigned file = number_of(scope ? scope->getFilename() : StringRef());
    // A line holds to the end of its block.
    if (instruction->getParent() == block_ && file == file_ && place.getLine() == line_ && place.getCol() == column_)
      return;
    block_ = instruction->getParent();
    file_ = file;
    line_ = place.getLine();
    column_ = place.getCol();
    write(file_, line_, column_);
  }

private:
  llvm::AsmPrinter &printer_;
  const llvm::MCInstrInfo &names_;
  Sink sink_;
  unsigned opcode_ = 0;
  llvm::StringMap<unsigned> files_;
  const llvm::MachineBasicBlock *block_ = nullptr;
  unsigned file_ = 0, line_ = 0, column_ = 0;
  bool in_function_ = false, behind_merge_ = false;

  void write(unsigned file, unsigned line, unsigned column) {
    if (opcode_ == names_.getNumOpcodes())
      return;
    llvm::MCInst instruction;
    instruction.setOpcode(opcode_);
    for (unsigned operand : {file, line, column})
      instruction.addOperand(llvm::MCOperand::createImm(operand));
    printer_.EmitToStreamer(*printer_.OutStreamer, instruction);
  }

  unsigned number_of(StringRef file) {
    auto [entry, is_new] = files_.try_emplace(file, files_.size());
    if (is_new)
      sink_(OXICL_LINE_FILE, file);
    return entry->second;
  }
};

/// Where the next printer's lines are told.
const Sink *lines_sink = nullptr;

/// A printer that writes lines. It takes its own place for the target's: for one printer.
llvm::AsmPrinter *new_printer(llvm::TargetMachine &machine, std::unique_ptr<llvm::MCStreamer> &&streamer) {
  LLVMInitializeSPIRVAsmPrinter();
  llvm::AsmPrinter *printer = machine.getTarget().createAsmPrinter(machine, std::move(streamer));
  if (printer)
    printer->addAsmPrinterHandler(std::make_unique<Lines>(*printer, *lines_sink));
  return printer;
}

/// A new one for each module: it remembers the types of the last.
std::unique_ptr<llvm::TargetMachine> new_machine() {
  std::string error;
  llvm::Triple triple("spirv64");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, "", "", llvm::TargetOptions(), std::nullopt, std::nullopt, llvm::CodeGenOptLevel::None));
}

bool emit(llvm::Module &module, const Sink &sink) {
  std::unique_ptr<llvm::TargetMachine> target = new_machine();
  llvm::SmallVector<char, 0> words;
  llvm::raw_svector_ostream stream(words);
  llvm::legacy::PassManager passes;
  if (target && module.getNamedMetadata("llvm.dbg.cu")) {
    lines_sink = &sink;
    llvm::TargetRegistry::RegisterAsmPrinter(const_cast<llvm::Target &>(target->getTarget()), new_printer);
  }
  if (!target || target->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                                             /*DisableVerify=*/true)) {
    sink(OXICL_LOG, "error: this LLVM has no SPIR-V target\n");
    return false;
  }
  passes.run(module);
  sink(OXICL_SPIRV, StringRef(words.data(), words.size()));
  return true;
}

void print_error(llvm::StringRef text) {
  // What standard error does not take is lost: nobody reads while the worker runs.
  ssize_t written = write(2, text.data(), text.size());
  (void)written;
}

/// Says what was being compiled when the process dies: the innermost entries of what clang and LLVM keep for that purpose.
/// There can be as many as a source has parentheses.
void print_place(void *) {
  const int most = 6;
  llvm::SmallString<2048> text;
  llvm::raw_svector_ostream stream(text);
  auto *entry = static_cast<const llvm::PrettyStackTraceEntry *>(llvm::SavePrettyStackState());
  for (int n = 0; entry && n < most; ++n, entry = entry->getNextEntry())
    entry->print(stream);
  print_error(text);
}

/// Something that LLVM cannot translate ends the process: by an exit or by a signal, as it finds right.
void on_fatal_error(void *, const char *reason, bool by_signal) {
  print_error("LLVM ERROR: ");
  print_error(reason);
  print_error("\n");
  if (!by_signal)
    print_place(nullptr);
}

/// From here on a death of this process is explained on standard error.
void explain_death() {
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(on_fatal_error);
  llvm::sys::AddSignalHandler(print_place, nullptr);
}

/// Leaves no block behind, of which the SPIR-V target would keep the number.
void remove_functions(llvm::Module &module) {
  for (llvm::Function &function : module)
    function.deleteBody();
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (function.use_empty())
      function.eraseFromParent();
}

bool run(std::shared_ptr<CompilerInvocation> invocation, llvm::IntrusiveRefCntPtr<Files> files, llvm::raw_ostream &log,
         bool rehearsal, const Sink &sink) {
  CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(new TextDiagnosticPrinter(log, compiler.getDiagnosticOpts()));
  // It would count the errors.
  compiler.setVerboseOutputStream(llvm::nulls());
  llvm::LLVMContext context;
  Action action(&context, sink);
  std::unique_ptr<llvm::Module> module;
  if (compiler.ExecuteAction(action))
    module = action.takeModule();
  if (!module)
    return false;
  std::string errors;
  clean_up(*module, sink, errors);
  log << errors;
  if (rehearsal)
    remove_functions(*module);
  return errors.empty() && emit(*module, sink);
}

} // namespace

void oxicl_clang_start(const char *extensions) {
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
  if (*extensions) {
    std::string option = std::string("--spirv-ext=") + extensions;
    const char *arguments[] = {"oxicl-compiler", option.c_str()};
    llvm::cl::ParseCommandLineOptions(2, arguments);
  }
}

bool oxicl_clang_compile(const char *const *arguments, size_t argument_count, const OxiclFile *files, size_t file_count,
                         const char *folder, bool rehearsal, void *owner, OxiclGive give) {
  Sink sink{owner, give};
  if (!rehearsal)
    explain_death();
  std::string text;
  llvm::raw_string_ostream log(text);
  llvm::IntrusiveRefCntPtr<Files> system(new Files(folder, llvm::ArrayRef(files, file_count), sink));

  // The lexer looks for a null character at the end, so this is a copy with one.
  auto program = llvm::MemoryBuffer::getMemBufferCopy(StringRef(files[0].text, files[0].text_size),
                                                      StringRef(files[0].name, files[0].name_size));
  DiagnosticOptions options;
  TextDiagnosticPrinter printer(log, options);
  auto diagnostics = CompilerInstance::createDiagnostics(*system, options, &printer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<CompilerInvocation>();
  bool good = CompilerInvocation::CreateFromArgs(*invocation, llvm::ArrayRef(arguments, argument_count), *diagnostics);
  if (good) {
    // The program comes from memory; its name is only for diagnostics.
    auto &inputs = invocation->getFrontendOpts().Inputs;
    InputKind kind = inputs.empty() ? InputKind(Language::OpenCL) : inputs[0].getKind();
    inputs.assign(1, FrontendInputFile(*program, kind));
    good = run(std::move(invocation), system, log, rehearsal, sink);
  }
  log.flush();
  sink(OXICL_LOG, text);
  return good;
}
