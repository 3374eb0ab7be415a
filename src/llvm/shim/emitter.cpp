// Object code of one module after another by the same list of passes. LLVM's C API makes the list anew for every module,
// which is a thirtieth of all that a small kernel costs. LLVM is built without exceptions and run-time types, so this is too.

#include "llvm-c/TargetMachine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

/// Passes that find nothing to do in any kernel. Each costs little, but it costs: whatever a pass does, the list looks through
/// all analyses before and behind it.
constexpr StringRef NEEDLESS[] = {
    // No matrix registers.
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Tile Register Pre-configure",
    "Tile Register Configure",
    "X86 Lower Tile Copy",
    // No garbage collection, exceptions, variables of threads, indirect branches, traces and patches.
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Analyze Machine Code For Garbage Collection",
    "Fixup Statepoint Caller Saved",
    "StackMap Liveness Analysis",
    "Exception handling preparation",
    "Contiguously Lay Out Funclets",
    "Local Dynamic TLS Access Clean-up",
    "Expand indirectbr instructions",
    "Prepare callbr",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Insert fentry calls",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "Safe Stack instrumentation pass",
    "Check CFA info and insert CFI instructions if needed",
    // No calls of the C library, and no other languages.
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "Partially inline calls to library functions",
    "Replace intrinsics with calls to vector library",
    "ObjC ARC contraction",
    // Other processors, 32 bits, and registers that nothing of OpenCL is in.
    "X86 PIC Global Base Reg Initialization",
    "Argument Stack Rebase",
    "Local Stack Slot Allocation",
    "X86 FP Stackifier",
    "X86 insert wait instruction",
    "X86 Atom pad short functions",
    "X86 Suppress APX features for relocation",
    "Post RA top-down list latency scheduler",
    // What functions do not ask for.
    "X86 speculative load hardening",
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks",
    "X86 Return Thunks",
    "Insert KCFI indirect call checks",
    // No debugger, profile or sanitizer.
    "Remove Redundant DEBUG_VALUE analysis",
    "Live DEBUG_VALUE analysis",
    "Remove Loads Into Fake Uses",
    "Pseudo Probe Inserter",
    "Machine Sanitizer Binary Metadata",
    "Stack Frame Layout Analysis",
    "Register Allocation Pass Scoring",
};

/// What takes constants out of loops. It compares each with all others of the same instruction, and then has more values alive
/// than there are registers, which the register allocator spends its time on: of 2,500 constants a quarter of all time.
constexpr StringRef ONLY_IN_SMALL = "Early Machine Loop Invariant Code Motion";

/// Instructions of a function up to which it runs.
constexpr unsigned SMALL = 2000;

/// Stands in front of a pass and behind it. As passes leave out what is not to be optimised, that is what a large function is
/// in between.
class LargeStay : public MachineFunctionPass {
  static char id;
  bool begins;

public:
  explicit LargeStay(bool begins) : MachineFunctionPass(id), begins(begins) {}

  StringRef getPassName() const override { return "Large functions stay as they are"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &machine) override {
    constexpr StringRef MARK = "oxicl-large";
    Function &function = machine.getFunction();
    if (begins && machine.getInstructionCount() > SMALL && !function.hasOptNone()) {
      function.addFnAttr(Attribute::OptimizeNone);
      function.addFnAttr(MARK);
    } else if (!begins && function.hasFnAttribute(MARK)) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(MARK);
    }
    return false;
  }
};

char LargeStay::id = 0;

/// What writes the code, behind all passes that change it: the end of its name, in front of which stands the processor's.
constexpr StringRef PRINTER = "Assembly Printer";

/// A name, as Rust reads it.
struct Name {
  const char *text;
  size_t length;
};

/// What a function has on the stack, as Rust reads it.
struct Frame {
  Name name;
  /// From behind the return address to the lowest byte in front of a call.
  uint64_t bytes;
  /// More is taken while the function runs, and only then is it known how much.
  bool grows;
  /// Its part of the list of functions that are called, or whose addresses are taken.
  size_t first_callee;
  size_t callees;
};

/// Frames of the functions of a module, in no order.
struct Frames {
  SmallVector<Frame, 0> frames;
  SmallVector<Name, 0> callees;
  /// Names that are no function's of the module may go with the code that has them.
  BumpPtrAllocator memory;
  StringSaver symbols{memory};

  void clear() {
    frames.clear();
    callees.clear();
    memory.Reset();
  }
};

/// Reads frames when nothing changes them any more.
class FrameReader : public MachineFunctionPass {
  static char id;
  Frames &frames;

  /// What a call pushes is not part of the frame where the frame has no room for it.
  static uint64_t pushed(const MachineFunction &machine, const TargetFrameLowering &lowering) {
    uint64_t most = machine.getFrameInfo().getMaxCallFrameSize();
    return lowering.hasReservedCallFrame(machine) ? 0 : alignTo(most, lowering.getStackAlign());
  }

public:
  explicit FrameReader(Frames &frames) : MachineFunctionPass(id), frames(frames) {}

  StringRef getPassName() const override { return "Sizes of frames"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &machine) override {
    const TargetSubtargetInfo &target = machine.getSubtarget();
    const MachineFrameInfo &info = machine.getFrameInfo();
    uint64_t bytes = info.getStackSize() + pushed(machine, *target.getFrameLowering());
    // Where the stack pointer is rounded down, so is it once more behind the registers that are saved.
    if (target.getRegisterInfo()->hasStackRealignment(machine))
      bytes += 2 * info.getMaxAlign().value();
    size_t first = frames.callees.size();
    SmallPtrSet<const void *, 16> known;
    auto add = [&](StringRef name) { frames.callees.push_back({name.data(), name.size()}); };
    for (const MachineBasicBlock &block : machine)
      for (const MachineInstr &instruction : block.instrs())
        for (const MachineOperand &operand : instruction.operands())
          if (operand.isSymbol() && known.insert(operand.getSymbolName()).second)
            add(frames.symbols.save(operand.getSymbolName()));
          else if (operand.isGlobal() && known.insert(operand.getGlobal()).second)
            if (auto *function = dyn_cast_or_null<Function>(operand.getGlobal()->getAliaseeObject()))
              add(function->getName());
    StringRef name = machine.getName();
    frames.frames.push_back(
        {{name.data(), name.size()}, bytes, info.hasVarSizedObjects(), first, frames.callees.size() - first});
    return false;
  }
};

char FrameReader::id = 0;

/// Has a function touch its stack at least once in so many bytes. What is below a stack is inaccessible for more than that
/// (`schedule`'s `GUARD`), so that no frame reaches beyond without a fault: a matter of correctness. Smaller frames
/// cost nothing, as a call touches the stack, too.
void probe(Function &function) {
  constexpr StringRef BYTES = "32768";
  function.addFnAttr("probe-stack", "inline-asm");
  function.addFnAttr("stack-probe-size", BYTES);
}

/// LLVM's list of passes, but for those, and with ours.
class Passes : public legacy::PassManager {
public:
  Passes(Frames &frames, bool all) : frames(frames), all(all) {}

  Frames &frames;
  /// None is left out, of no function.
  bool all;
  /// Passes that were named above and are LLVM's.
  size_t known = 0;

  void add(Pass *pass) override {
    if (is_contained(NEEDLESS, pass->getPassName())) {
      ++known;
      if (all)
        legacy::PassManager::add(pass);
      else
        delete pass;
      return;
    }
    if (pass->getPassName().ends_with(PRINTER)) {
      ++known;
      legacy::PassManager::add(new FrameReader(frames));
    }
    if (all || pass->getPassName() != ONLY_IN_SMALL) {
      known += pass->getPassName() == ONLY_IN_SMALL;
      legacy::PassManager::add(pass);
      return;
    }
    ++known;
    legacy::PassManager::add(new LargeStay(true));
    legacy::PassManager::add(pass);
    legacy::PassManager::add(new LargeStay(false));
  }
};

/// The passes, the bytes that they write, and what they find.
struct Emitter {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream{bytes};
  Frames frames;
  Passes passes;

  explicit Emitter(bool all) : passes(frames, all) {}
};

} // namespace

extern "C" {

/// The passes of a machine, which has to outlive them, for object code or for the same code as assembly; null if it makes none.
/// With `all` none of LLVM's is left out.
Emitter *oxicl_emitter_new(LLVMTargetMachineRef machine, bool assembly, bool all) {
  auto *emitter = new Emitter(all);
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (reinterpret_cast<TargetMachine *>(machine)->addPassesToEmitFile(emitter->passes, emitter->stream, nullptr, type)) {
    delete emitter;
    return nullptr;
  }
  return emitter;
}

/// Names of passes above that this LLVM does not have: a name that has changed would go unnoticed.
size_t oxicl_emitter_unknown(const Emitter *emitter) {
  size_t names = std::size(NEEDLESS) + 2;
  return names > emitter->passes.known ? names - emitter->passes.known : 0;
}

/// Makes an object file, or assembly, of a module, which has the machine's data layout, and changes the module. The bytes stay until the
/// next call.
const char *oxicl_emitter_run(Emitter *emitter, LLVMModuleRef module, size_t *size) {
  emitter->bytes.clear();
  emitter->frames.clear();
  // Here, as nothing makes functions any more.
  for (Function &function : *unwrap(module))
    if (!function.isDeclaration())
      probe(function);
  emitter->passes.run(*unwrap(module));
  *size = emitter->bytes.size();
  return emitter->bytes.data();
}

/// The frames of the functions of the module that was run last, as long as it lives and until the next run.
const Frame *oxicl_emitter_frames(const Emitter *emitter, size_t *count) {
  *count = emitter->frames.frames.size();
  return emitter->frames.frames.data();
}

/// The list that they have parts of.
const Name *oxicl_emitter_callees(const Emitter *emitter, size_t *count) {
  *count = emitter->frames.callees.size();
  return emitter->frames.callees.data();
}

void oxicl_emitter_delete(Emitter *emitter) { delete emitter; }
}
