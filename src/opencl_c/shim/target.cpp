// Runs LLVM's SPIR-V target, which other than the rest of LLVM keeps something from one module to the next.

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/StackProtector.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

#include "shim.h"

using namespace llvm;

extern "C" void LLVMInitializeSPIRVAsmPrinter();

namespace {

/// Writes OpLine in front of instructions whose place in the source is known, which LLVM's SPIR-V target leaves away. The
/// operand that stands for the file is its number among those that the sink is told of.
class Lines : public AsmPrinterHandler {
public:
  Lines(AsmPrinter &printer, const Sink &sink)
      : printer_(printer), names_(*printer.TM.getMCInstrInfo()), sink_(sink) {
    while (opcode_ < names_.getNumOpcodes() && names_.getName(opcode_) != "OpLine")
      ++opcode_;
  }
  void beginFunction(const MachineFunction *) override {
    in_function_ = false;
    block_ = nullptr;
  }
  void endFunction(const MachineFunction *) override {}
  void endModule() override {}

  void beginInstruction(const MachineInstr *instruction) override {
    StringRef name = names_.getName(instruction->getOpcode());
    // Constants come before it that are written elsewhere.
    if (name == "OpFunction") {
      in_function_ = true;
      if (const DISubprogram *function = instruction->getMF()->getFunction().getSubprogram())
        write(number_of(function->getFilename()), function->getLine(), 0);
      return;
    }
    // Nothing may stand between a merge and its branch.
    const bool behind_merge = behind_merge_;
    behind_merge_ = name.ends_with("Merge");
    const bool stands_first =
        name == "OpFunctionParameter" || name == "OpLabel" || name == "OpVariable" || name == "OpPhi";
    const DebugLoc &place = instruction->getDebugLoc();
    if (!in_function_ || behind_merge || stands_first || !place || !place.getLine())
      return;
    auto *scope = dyn_cast<DIScope>(place.getScope());
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
  AsmPrinter &printer_;
  const MCInstrInfo &names_;
  Sink sink_;
  unsigned opcode_ = 0;
  StringMap<unsigned> files_;
  const MachineBasicBlock *block_ = nullptr;
  unsigned file_ = 0, line_ = 0, column_ = 0;
  bool in_function_ = false, behind_merge_ = false;

  void write(unsigned file, unsigned line, unsigned column) {
    if (opcode_ == names_.getNumOpcodes())
      return;
    MCInst instruction;
    instruction.setOpcode(opcode_);
    for (unsigned operand : {file, line, column})
      instruction.addOperand(MCOperand::createImm(operand));
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
AsmPrinter *new_printer(TargetMachine &machine, std::unique_ptr<MCStreamer> &&streamer) {
  LLVMInitializeSPIRVAsmPrinter();
  AsmPrinter *printer = machine.getTarget().createAsmPrinter(machine, std::move(streamer));
  if (printer)
    printer->addAsmPrinterHandler(std::make_unique<Lines>(*printer, *lines_sink));
  return printer;
}

/// Makes each function's machine code at an address that no other had in this process: the target keeps the ids of blocks by
/// that address and the block's number, forgets none, and would take those of a function before for this one's.
class Places : public FunctionPass {
public:
  Places() : FunctionPass(identity) {}
  ~Places() override {
    for (void *place : refused_)
      ::operator delete(place);
  }

  bool runOnFunction(Function &function) override {
    MachineModuleInfo &all = getAnalysis<MachineModuleInfoWrapperPass>().getMMI();
    const TargetMachine &machine = all.getTarget();
    const TargetSubtargetInfo &target = *machine.getSubtargetImpl(function);
    auto *made = new (unused()) MachineFunction(function, machine, target, all.getContext(), count_++);
    made->initTargetMachineFunctionInfo(target);
    machine.registerMachineRegisterInfoCallback(*made);
    all.insertFunction(function, std::unique_ptr<MachineFunction>(made));
    return false;
  }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<MachineModuleInfoWrapperPass>();
    usage.setPreservesAll();
  }

private:
  static char identity;
  /// What the allocator had to offer that was used before: it must not offer it once more.
  SmallVector<void *> refused_;
  unsigned count_ = 0;

  void *unused() {
    static DenseSet<void *> used;
    for (;;) {
      void *place = ::operator new(sizeof(MachineFunction));
      if (used.insert(place).second)
        return place;
      refused_.push_back(place);
    }
  }
};

char Places::identity = 0;

/// A new one for each module: it remembers the types of the last.
std::unique_ptr<TargetMachine> new_machine() {
  std::string error;
  Triple triple("spirv64");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, "", "", TargetOptions(), std::nullopt, std::nullopt, CodeGenOptLevel::None));
}

/// The passes that make SPIR-V; false if there are none.
bool add_passes(TargetMachine &machine, legacy::PassManager &passes, raw_pwrite_stream &stream) {
  TargetPassConfig *config = machine.createPassConfig(passes);
  if (!config)
    return false;
  auto *functions = new MachineModuleInfoWrapperPass(&machine);
  config->setDisableVerify(true);
  // The last pass before machine code is made.
  config->insertPass(&StackProtector::ID, new Places());
  // Without a library that has functions for them, copies and fills of more than 64 bytes become loops over bytes.
  passes.add(new RuntimeLibraryInfoWrapper(machine.getTargetTriple()));
  passes.add(config);
  passes.add(functions);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, CodeGenFileType::ObjectFile, functions->getMMI().getContext()))
    return false;
  passes.add(createFreeMachineFunctionPass());
  return true;
}

} // namespace

void number_scopes(LLVMContext &context) {
  for (const char *scope : {"subgroup", "workgroup", "device"})
    context.getOrInsertSyncScopeID(scope);
}

bool emit(Module &module, const Sink &sink) {
  std::unique_ptr<TargetMachine> machine = new_machine();
  SmallVector<char, 0> words;
  raw_svector_ostream stream(words);
  legacy::PassManager passes;
  if (machine && module.getNamedMetadata("llvm.dbg.cu")) {
    lines_sink = &sink;
    TargetRegistry::RegisterAsmPrinter(const_cast<Target &>(machine->getTarget()), new_printer);
  }
  if (!machine || !add_passes(*machine, passes, stream)) {
    sink(OXICL_LOG, "error: this LLVM has no SPIR-V target\n");
    return false;
  }
  passes.run(module);
  sink(OXICL_SPIRV, StringRef(words.data(), words.size()));
  return true;
}
