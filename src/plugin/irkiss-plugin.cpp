// The plugin for clang, opt and lld: hands the module to `irkiss plugin`, a process of its own, at the start of the pipeline,
// and tells what it finds as the compiler's warnings. One source for every LLVM from 19 on; scripts/plugin.sh builds it.
//
// The module is not changed, and nothing that goes wrong here ends the compile: it is one line on standard error.
// docs/plugin.md says how it is used. How the process answers is written down in src/report/wire.rs.

#include "diagnostics.h"
#include "process.h"
#include "settings.h"

#include "llvm-c/Core.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Passes/PassBuilder.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#include <cstring>

using namespace llvm;
using namespace irkiss;

namespace {

// Whether the unit is compiled for a link with full LTO, which sees the whole program. (With ThinLTO nothing ever does.)
bool awaitsLink(const Module &M) {
  auto *Thin = mdconst::extract_or_null<ConstantInt>(M.getModuleFlag("ThinLTO"));
  return Thin && Thin->isZero();
}

bool isWanted(const Module &M, Stage At) {
  if (all_of(M, [](const Function &F) { return F.isDeclarationForLinker(); }))
    return false;
  std::string Said = said(&Switches::Lto, "IRKISS_LTO");
  Lto Which = ltoOf(Said);
  if (At == Stage::Link)
    return Which != Lto::Units;
  if (At == Stage::Asked || Which != Lto::Link || !awaitsLink(M))
    return true;
  // Nobody knows here whether the linker loads the plugin: without a word from the user, that nothing is checked is told.
  if (Said.empty())
    errs() << M.getSourceFileName()
           << ": note: irkiss: left to the link with -flto (-Wl,--load-pass-plugin=); IRKISS_LTO=link or =units says so\n";
  return false;
}

void check(Module &M, Stage At) {
  // What the linker calls it is a name that nobody knows.
  std::string Name = At == Stage::Link ? "the linked program" : M.getSourceFileName();
  auto notChecked = [&](const Twine &Why) { complain(Name + " is not checked: " + Why); };
  ErrorOr<std::string> Program = checker();
  if (!Program)
    return notChecked("no irkiss beside the plugin or on PATH (IRKISS names it)");
  Bitcode File;
  std::string Why = File.write(M);
  if (!Why.empty())
    return notChecked(Why);
  Flags Own = flags();
  SmallVector<std::string> Words{*Program, "plugin", File.path().str(), "--source", Name};
  std::string Store = said(&Switches::Store, "IRKISS_STORE");
  if (!Store.empty())
    Words.append({"--store", Store, "--compiler", std::to_string(getpid())});
  Words.append(Own.Words.begin(), Own.Words.end());
  Process Running(Own.Timeout);
  if (int Error = Running.start(Words))
    return notChecked(*Program + ": " + std::strerror(Error) + " (IRKISS names the program)");
  std::optional<std::string> Text = Running.answer();
  std::optional<int> Status = Text ? Running.wait() : std::nullopt;
  if (!Status)
    return notChecked(*Program + " did not end within " + Twine(Own.Timeout + Grace) + " s (--timeout in IRKISS_FLAGS)");
  StringRef Trouble;
  SmallVector<Told> All = parse(*Text, Trouble);
  tell(M, All, At);
  for (const Told &T : All)
    if (T.Kind == "complaint")
      complain(Name + ": " + T.Message);
  if (WIFSIGNALED(*Status))
    return notChecked(*Program + " was ended by signal " + Twine(WTERMSIG(*Status)) + " (a crash, or too little memory)");
  if (!Trouble.empty()) {
    // Its errors begin with the place, which is said already.
    Trouble.consume_front(Name + ": ");
    notChecked(Trouble);
  }
}

struct Pass : PassInfoMixin<Pass> {
  Stage At;
  Pass(Stage At) : At(At) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (isWanted(M, At))
      check(M, At);
    return PreservedAnalyses::all();
  }
  // Neither optnone nor a limit on passes is about it.
  static bool isRequired() { return true; }
  static StringRef name() { return "irkiss"; }
};

void registerPasses(PassBuilder &Builder) {
  Builder.registerPipelineStartEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(Pass(Stage::Unit)); });
  Builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](ModulePassManager &Passes, OptimizationLevel) { Passes.addPass(Pass(Stage::Link)); });
  Builder.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &Passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "irkiss")
          return false;
        Passes.addPass(Pass(Stage::Asked));
        return true;
      });
}

void registerNothing(PassBuilder &) {}

// Whether the program that loads this is of the LLVM for which it was built.
bool isOwnVersion() {
  unsigned Major = 0;
  LLVMGetVersion(&Major, nullptr, nullptr);
  return Major == LLVM_VERSION_MAJOR;
}

__attribute__((constructor)) void loaded() {
  if (isOwnVersion())
    TheSwitches = new Switches;
}

} // namespace

#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  PassPluginLibraryInfo Info{};
  Info.APIVersion = LLVM_PLUGIN_API_VERSION;
  Info.PluginName = "irkiss";
  Info.PluginVersion = IRKISS_VERSION;
  Info.RegisterPassBuilderCallbacks = registerPasses;
  if (!isOwnVersion()) {
    // Nothing of LLVM but what is never changed may be called.
    dprintf(2, "irkiss: warning: nothing is checked: this plugin is for LLVM %d, and not for the one that loads it\n",
            LLVM_VERSION_MAJOR);
    Info.RegisterPassBuilderCallbacks = registerNothing;
  }
  return Info;
}
