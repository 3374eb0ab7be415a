// Runs clang's front end over a program in memory, and LLVM's SPIR-V target over what it makes.

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"

#include <utility>

#include <unistd.h>

#include "assembly.h"
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

/// Tells how much source there is, each time that it has grown by a good deal.
class Size : public ASTConsumer {
public:
  Size(const Preprocessor &preprocessor, const Sink &sink) : preprocessor_(preprocessor), sink_(sink) {}
  bool HandleTopLevelDecl(DeclGroupRef) override {
    if (preprocessor_.getTokenCount() >= told_ + step)
      tell();
    return true;
  }
  void HandleTranslationUnit(ASTContext &) override { tell(); }

private:
  /// A cost: to tell takes a system call or two.
  static constexpr unsigned step = 1 << 14;

  void tell() {
    told_ = preprocessor_.getTokenCount();
    sink_(OXICL_SIZE, StringRef(reinterpret_cast<const char *>(&told_), sizeof told_));
  }

  const Preprocessor &preprocessor_;
  Sink sink_;
  unsigned told_ = 0;
};

/// Hands a whole program to the code generator when all of it has been read: its functions have internal linkage then, so that
/// no code is generated for those that no kernel reaches. While it is read they have the linkage that the program says, which
/// diagnostics depend on.
class Whole : public ASTConsumer {
public:
  explicit Whole(std::unique_ptr<CodeGenerator> generator) : generator_(std::move(generator)) {}

  void Initialize(ASTContext &context) override { generator_->Initialize(context); }
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    groups_.push_back(group);
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl *function) override { inline_functions_.push_back(function); }
  void HandleTagDeclDefinition(TagDecl *tag) override { generator_->HandleTagDeclDefinition(tag); }
  void HandleCXXStaticMemberVarInstantiation(VarDecl *variable) override { static_members_.push_back(variable); }
  void CompleteTentativeDefinition(VarDecl *variable) override { generator_->CompleteTentativeDefinition(variable); }
  void AssignInheritanceModel(CXXRecordDecl *record) override { generator_->AssignInheritanceModel(record); }
  void HandleVTable(CXXRecordDecl *record) override { generator_->HandleVTable(record); }

  void HandleTranslationUnit(ASTContext &context) override {
    for (DeclGroupRef group : groups_)
      for (Decl *declaration : group)
        keep_in(*declaration);
    for (FunctionDecl *function : inline_functions_)
      generator_->HandleInlineFunctionDefinition(function);
    for (DeclGroupRef group : groups_)
      generator_->HandleTopLevelDecl(group);
    for (VarDecl *variable : static_members_)
      generator_->HandleCXXStaticMemberVarInstantiation(variable);
    generator_->HandleTranslationUnit(context);
  }

private:
  std::unique_ptr<CodeGenerator> generator_;
  std::vector<DeclGroupRef> groups_;
  std::vector<FunctionDecl *> inline_functions_;
  std::vector<VarDecl *> static_members_;

  /// Methods and instances of templates are left to `clean_up`: clang generates most of them only where they are used.
  static void keep_in(Decl &declaration) {
    if (isa<NamespaceDecl, LinkageSpecDecl>(declaration)) {
      for (Decl *inner : cast<DeclContext>(declaration).decls())
        keep_in(*inner);
      return;
    }
    auto *function = dyn_cast<FunctionDecl>(&declaration);
    if (!function || isa<CXXMethodDecl>(function) || function->isTemplateInstantiation() || !function->isDefined() ||
        function->hasAttr<DeviceKernelAttr>() || function->hasAttr<InternalLinkageAttr>())
      return;
    function->addAttr(InternalLinkageAttr::CreateImplicit(function->getASTContext()));
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

/// Makes a module of LLVM, and nothing of that: clang's own actions set up a target and its passes even where none runs.
class Action : public ASTFrontendAction {
public:
  Action(llvm::LLVMContext &context, bool whole, const Sink &sink) : context_(context), whole_(whole), sink_(sink) {}

  /// The module, if there was no error.
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

protected:
  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Clock>(sink_));
    return true;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef file) override {
    context_.setDiscardValueNames(compiler.getCodeGenOpts().DiscardValueNames);
    std::unique_ptr<CodeGenerator> generator = CreateLLVMCodeGen(compiler, file, context_);
    generator_ = generator.get();
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<KeepInlineBodies>());
    consumers.push_back(std::make_unique<Size>(compiler.getPreprocessor(), sink_));
    if (whole_)
      consumers.push_back(std::make_unique<Whole>(std::move(generator)));
    else
      consumers.push_back(std::move(generator));
    consumers.push_back(take_assembly(*generator_));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

  void EndSourceFileAction() override { module_ = generator_->ReleaseModule(); }

private:
  llvm::LLVMContext &context_;
  bool whole_;
  Sink sink_;
  CodeGenerator *generator_ = nullptr;
  std::unique_ptr<llvm::Module> module_;
};

/// Prints diagnostics. Where files may not be read, one that is not found is explained, whether or not there is one.
class Printer : public TextDiagnosticPrinter {
public:
  Printer(llvm::raw_ostream &log, DiagnosticOptions &options, OxiclInclude include)
      : TextDiagnosticPrinter(log, options), log_(log), include_(include) {}

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) override {
    TextDiagnosticPrinter::HandleDiagnostic(level, diagnostic);
    if (diagnostic.getID() != diag::err_pp_file_not_found)
      return;
    if (include_ == OXICL_INCLUDE_LISTED)
      log_ << "note: OXICL_INCLUDE=listed lets a program read embedded headers, and files below the folders that -I lists, "
              "but no others.\n";
    if (include_ == OXICL_INCLUDE_NONE)
      log_ << "note: OXICL_INCLUDE=none lets a program read embedded headers, but no files.\n";
  }

private:
  llvm::raw_ostream &log_;
  OxiclInclude include_;
};

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
  static bool done = false;
  if (std::exchange(done, true))
    return;
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(on_fatal_error);
  llvm::sys::AddSignalHandler(print_place, nullptr);
}

/// Functions that no kernel reaches are left for later if they have more instructions than this, a cost: what is left is written
/// as bitcode, and read and translated anew with all of the program if it is called for.
const size_t most_unreached = 4000;

/// SPIR-V of clang's module, or the reasons why there is none.
bool translate(llvm::Module &module, OxiclHow how, llvm::raw_ostream &log, const Sink &sink) {
  bool whole = how.whole;
  if (how.defers && count_unreached(module) > most_unreached) {
    llvm::SmallVector<char, 0> bitcode;
    llvm::raw_svector_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module, stream);
    sink(OXICL_REST, StringRef(bitcode.data(), bitcode.size()));
    whole = true;
  }
  std::string errors;
  clean_up(module, whole, sink, errors);
  log << errors;
  return errors.empty() && emit(module, sink);
}

bool run(std::shared_ptr<CompilerInvocation> invocation, llvm::IntrusiveRefCntPtr<Files> files, llvm::raw_ostream &log,
         OxiclHow how, const Sink &sink) {
  CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(new Printer(log, compiler.getDiagnosticOpts(), how.include));
  // It would count the errors.
  compiler.setVerboseOutputStream(llvm::nulls());
  llvm::LLVMContext context;
  number_scopes(context);
  Action action(context, how.whole, sink);
  std::unique_ptr<llvm::Module> module;
  if (compiler.ExecuteAction(action))
    module = action.take_module();
  return module && translate(*module, how, log, sink);
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
                         const char *folder, OxiclHow how, void *owner, OxiclGive give) {
  Sink sink{owner, give};
  if (!how.rehearsal)
    explain_death();
  std::string text;
  llvm::raw_string_ostream log(text);
  llvm::IntrusiveRefCntPtr<Files> system(new Files(folder, llvm::ArrayRef(files, file_count), how.include, sink));

  DiagnosticOptions options;
  TextDiagnosticPrinter printer(log, options);
  auto diagnostics = CompilerInstance::createDiagnostics(*system, options, &printer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<CompilerInvocation>();
  bool good = CompilerInvocation::CreateFromArgs(*invocation, llvm::ArrayRef(arguments, argument_count), *diagnostics);
  if (good) {
    // A file in memory, not a buffer: clang's __has_embed needs the entry of the file that it stands in.
    auto &inputs = invocation->getFrontendOpts().Inputs;
    InputKind kind = inputs.empty() ? InputKind(Language::OpenCL) : inputs[0].getKind();
    inputs.assign(1, FrontendInputFile(StringRef(files[0].name, files[0].name_size), kind));
    for (const auto &entry : invocation->getHeaderSearchOpts().UserEntries)
      if (entry.Group == frontend::Angled)
        system->list(entry.Path);
    good = run(std::move(invocation), system, log, how, sink);
  }
  log.flush();
  sink(OXICL_LOG, text);
  return good;
}

bool oxicl_clang_translate(const char *bitcode, size_t size, OxiclHow how, void *owner, OxiclGive give) {
  Sink sink{owner, give};
  if (!how.rehearsal)
    explain_death();
  std::string text;
  llvm::raw_string_ostream log(text);
  llvm::LLVMContext context;
  number_scopes(context);
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(StringRef(bitcode, size), "<rest>"), context);
  bool good = false;
  if (module)
    good = translate(**module, how, log, sink);
  else
    log << "error: the rest of the program cannot be read: " << llvm::toString(module.takeError()) << "\n";
  log.flush();
  sink(OXICL_LOG, text);
  return good;
}
