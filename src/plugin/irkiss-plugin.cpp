// The plugin for clang, opt and lld: hands the module to `irkiss plugin`, a process of its own, at the start of the pipeline,
// and tells what it finds as the compiler's warnings. One source for every LLVM from 19 on; scripts/plugin.sh builds it.
//
// The module is not changed, and nothing that goes wrong here ends the compile: it is one line on standard error.
// docs/plugin.md says how it is used. How the process answers is written down in src/report/wire.rs.

#include "llvm/Config/llvm-config.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using Clock = std::chrono::steady_clock;

extern char **environ;

namespace {

// --- What the user says ---

// Which modules of a build with full LTO are checked.
enum class Lto {
  // The whole program, when it is linked.
  Link,
  // Each unit, when it is compiled.
  Units,
  Both,
};

// Options of `-mllvm`. They stand beside the variables of the environment and come after them.
struct Switches {
  cl::opt<std::string> Flags{"irkiss-flags", cl::desc("irkiss: options of the check, as in IRKISS_FLAGS"),
                             cl::value_desc("words")};
  cl::opt<std::string> Checker{"irkiss-checker", cl::desc("irkiss: the program to run, as in IRKISS"),
                               cl::value_desc("path")};
  cl::opt<std::string> Store{"irkiss-store", cl::desc("irkiss: keep bitcode and result in this store, as in IRKISS_STORE"),
                             cl::value_desc("folder")};
  cl::opt<std::string> Lto{"irkiss-lto", cl::desc("irkiss: what to check with -flto: link, units or both, as in IRKISS_LTO"),
                           cl::value_desc("which")};
};

// Made by the function that is called when the library is loaded, and not before it is known that this is the right LLVM.
Switches *TheSwitches = nullptr;

// The option if it was given, else the variable, else nothing.
std::string said(const cl::opt<std::string> Switches::*Option, const char *Variable) {
  if (TheSwitches && (TheSwitches->*Option).getNumOccurrences())
    return TheSwitches->*Option;
  const char *Value = std::getenv(Variable);
  return Value ? Value : "";
}

// One line about irkiss itself. No diagnostic of the compiler: -Werror must not make an error of it.
void complain(const Twine &What) {
  std::string Line = ("irkiss: warning: " + What).str();
  for (char &C : Line)
    if (C == '\n' || C == '\r')
      C = ' ';
  errs() << Line << '\n';
}

Lto ltoOf(const std::string &Name) {
  if (Name == "units")
    return Lto::Units;
  if (Name == "both")
    return Lto::Both;
  if (!Name.empty() && Name != "link")
    complain("IRKISS_LTO: '" + Name + "' is none of link, units, both (link is taken)");
  return Lto::Link;
}

// Seconds for one module unless --timeout says otherwise: as in a step of a kernel build.
constexpr unsigned Seconds = 60;
// How long after that the process may take to write down what it found, before it is killed.
constexpr unsigned Grace = 10;

struct Flags {
  SmallVector<std::string> Words;
  unsigned Timeout = Seconds;
};

Flags flags() {
  Flags Found;
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  const char *Variable = std::getenv("IRKISS_FLAGS");
  cl::TokenizeGNUCommandLine(Variable ? Variable : "", Saver, Words);
  if (TheSwitches)
    cl::TokenizeGNUCommandLine(std::string(TheSwitches->Flags), Saver, Words);
  Found.Words = {"--timeout", std::to_string(Seconds)};
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I], Value;
    Found.Words.push_back(Word.str());
    if (Word == "--timeout" && I + 1 < Words.size())
      Value = Words[I + 1];
    else if (Word.consume_front("--timeout="))
      Value = Word;
    unsigned Number;
    if (!Value.empty() && !Value.getAsInteger(10, Number))
      Found.Timeout = std::min(Number, 1u << 24);
  }
  return Found;
}

// The checker: IRKISS, `irkiss` beside this library, or in `../bin` of where it lies, or on PATH.
ErrorOr<std::string> checker() {
  std::string Own = said(&Switches::Checker, "IRKISS");
  if (!Own.empty())
    return StringRef(Own).contains('/') ? ErrorOr<std::string>(Own) : sys::findProgramByName(Own);
  Dl_info Here;
  SmallString<256> Library;
  if (dladdr(reinterpret_cast<void *>(&complain), &Here) && !sys::fs::real_path(Here.dli_fname, Library)) {
    StringRef Folder = sys::path::parent_path(Library);
    for (const char *Where : {"irkiss", "../bin/irkiss", "../../bin/irkiss"}) {
      SmallString<256> Candidate(Folder);
      sys::path::append(Candidate, Where);
      if (sys::fs::can_execute(Candidate))
        return Candidate.str().str();
    }
  }
  return sys::findProgramByName("irkiss");
}

// --- The process ---

// The module as a file that goes away.
class Bitcode {
  SmallString<128> Path;

public:
  // What went wrong, or nothing.
  std::string write(const Module &M) {
    int Descriptor;
    if (std::error_code E = sys::fs::createTemporaryFile("irkiss-plugin", "bc", Descriptor, Path))
      return "no temporary file: " + E.message() + " (TMPDIR names another folder)";
    // The compiler ends at signals, and takes this file with it.
    sys::RemoveFileOnSignal(Path);
    raw_fd_ostream Out(Descriptor, true);
    WriteBitcodeToFile(M, Out);
    Out.close();
    if (!Out.has_error())
      return "";
    std::string What = Path.str().str() + ": " + Out.error().message() + " (TMPDIR names another folder)";
    Out.clear_error();
    return What;
  }
  StringRef path() const { return Path; }
  ~Bitcode() {
    if (Path.empty())
      return;
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }
};

// A program that runs beside the compiler, and never longer than it may.
class Process {
  pid_t Pid = -1;
  int Pipe = -1;
  Clock::time_point End;

  int millisecondsLeft() const {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(End - Clock::now()).count();
    return Left < 0 ? 0 : int(std::min<long long>(Left, 1 << 30));
  }

public:
  Process(unsigned Timeout) : End(Clock::now() + std::chrono::seconds(Timeout + Grace)) {}

  // Starts it with its standard output and error in one pipe. The error, or 0.
  int start(const SmallVectorImpl<std::string> &Words) {
    int Ends[2];
    if (pipe2(Ends, O_CLOEXEC))
      return errno;
    std::vector<char *> Arguments;
    for (const std::string &Word : Words)
      Arguments.push_back(const_cast<char *>(Word.c_str()));
    Arguments.push_back(nullptr);
    posix_spawn_file_actions_t Files;
    posix_spawn_file_actions_init(&Files);
    posix_spawn_file_actions_addopen(&Files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&Files, Ends[1], 1);
    posix_spawn_file_actions_adddup2(&Files, Ends[1], 2);
    // A group of its own, so that whatever it starts can be ended with it. It ends itself when the compiler does.
    posix_spawnattr_t Attributes;
    posix_spawnattr_init(&Attributes);
    posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&Attributes, 0);
    int Error = posix_spawn(&Pid, Arguments[0], &Files, &Attributes, Arguments.data(), environ);
    posix_spawnattr_destroy(&Attributes);
    posix_spawn_file_actions_destroy(&Files);
    close(Ends[1]);
    Pipe = Ends[0];
    if (Error)
      Pid = -1;
    return Error;
  }

  // All that it says. Nothing if it says no end in time.
  std::optional<std::string> answer() {
    std::string Text;
    char Buffer[4096];
    while (true) {
      pollfd Wait{Pipe, POLLIN, 0};
      int Ready = poll(&Wait, 1, millisecondsLeft());
      if (Ready < 0 && errno == EINTR)
        continue;
      if (Ready <= 0)
        return std::nullopt;
      ssize_t Got = read(Pipe, Buffer, sizeof Buffer);
      if (Got < 0 && errno == EINTR)
        continue;
      if (Got <= 0)
        return Text;
      // What nobody would read to the end is not kept.
      if (Text.size() < (64u << 20))
        Text.append(Buffer, size_t(Got));
    }
  }

  // How it ended: its status as `wait` has it. Nothing if it does not end in time.
  std::optional<int> wait() {
    int Status;
    while (true) {
      pid_t Got = waitpid(Pid, &Status, WNOHANG);
      if (Got == Pid) {
        Pid = -1;
        return Status;
      }
      if ((Got < 0 && errno != EINTR) || millisecondsLeft() == 0)
        return std::nullopt;
      usleep(2000);
    }
  }

  ~Process() {
    if (Pipe >= 0)
      close(Pipe);
    if (Pid <= 0)
      return;
    kill(-Pid, SIGKILL);
    while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
};

// --- What it answers ---

// A line of its answer.
struct Told {
  // `warning`, `note`: of a finding. `said`: to be printed as it is. `trouble`: why there is no answer.
  StringRef Kind, Rule, File;
  unsigned Line = 0, Column = 0;
  StringRef Function, Message;
};

// The answer taken apart; `trouble` if it is not whole.
SmallVector<Told> parse(StringRef Text, StringRef &Trouble) {
  SmallVector<Told> All;
  bool Whole = false;
  StringRef Other;
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    SmallVector<StringRef, 7> Words;
    Line.split(Words, '\t');
    Told T;
    T.Kind = Words[0];
    if (T.Kind == "end" && Words.size() == 1) {
      Whole = true;
    } else if ((T.Kind == "said" || T.Kind == "trouble") && Words.size() == 2) {
      T.Message = Words[1];
      (T.Kind == "trouble" ? Trouble : Other) = T.Message;
      if (T.Kind == "said")
        All.push_back(T);
    } else if (Words.size() == 7 && !Words[3].getAsInteger(10, T.Line) && !Words[4].getAsInteger(10, T.Column)) {
      T.Rule = Words[1];
      T.File = Words[2];
      T.Function = Words[5];
      T.Message = Words[6];
      All.push_back(T);
    } else if (!Line.trim().empty() && Other.empty()) {
      Other = Line;
    }
  }
  if (!Whole && Trouble.empty())
    Trouble = Other.empty() ? "it says nothing" : Other;
  return All;
}

// --- Diagnostics of the compiler ---

// A note without a place of its own.
class Remark : public DiagnosticInfo {
  StringRef Text;

public:
  Remark(StringRef Text) : DiagnosticInfo(kind(), DS_Note), Text(Text) {}
  void print(DiagnosticPrinter &Printer) const override { Printer << Text.str(); }
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
};

// What a line of the answer is about in the module.
struct Place {
  const Instruction *At = nullptr;
  // Whether it stands on that line of the source. The instruction is the first one of the function otherwise.
  bool OnLine = false;
};

Place placeIn(const Module &M, const Told &T) {
  Place Best;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    const DISubprogram *Own = F.getSubprogram();
    bool Named = (Own && Own->getName() == T.Function) || demangle(F.getName()) == T.Function;
    if (!Best.OnLine && (Named || !Best.At))
      Best.At = &*F.getEntryBlock().begin();
    if (!T.Line)
      continue;
    for (const Instruction &I : instructions(F)) {
      const DebugLoc &At = I.getDebugLoc();
      if (!At || At.getLine() != T.Line ||
          sys::path::filename(cast<DIScope>(At.getScope())->getFilename()) != sys::path::filename(T.File))
        continue;
      if (At.getCol() == T.Column)
        return {&I, true};
      if (!Best.OnLine)
        Best = {&I, true};
    }
  }
  return Best;
}

// `file:line:column`, or the function.
std::string placeOf(const Told &T) {
  if (T.Line && !T.File.empty())
    return (T.File + ":" + Twine(T.Line) + ":" + Twine(T.Column)).str();
  return T.Function.str() + "()";
}

// A finding as clang tells its own: with the source, the group -Wpass-failed and the name of the rule.
void warn(Module &M, const Told &T) {
  Place In = placeIn(M, T);
  // There is a function, or nothing would have been checked.
  assert(In.At);
  std::string Message = In.OnLine ? T.Message.str() : placeOf(T) + ": " + T.Message.str();
  std::string Rule = T.Rule.str();
  DiagnosticLocation At = In.OnLine ? DiagnosticLocation(In.At->getDebugLoc()) : DiagnosticLocation();
  DiagnosticInfoOptimizationFailure Warning(Rule.c_str(), "Found", At, In.At->getParent());
  Warning << Message;
  M.getContext().diagnose(Warning);
}

// Whether clang has read IR: it has no sources then, and cannot show a place of another file.
bool isIr(const Module &M) {
  StringRef Name = M.getModuleIdentifier();
  return Name.ends_with(".bc") || Name.ends_with(".ll") || Name == "<stdin>";
}

// The other access of a finding. The compiler shows it where the warning was shown, with its place if the source can be read.
void note(Module &M, const Told &T) {
  SourceMgr Sources;
  if (T.Line && !isIr(M)) {
    if (auto Source = MemoryBuffer::getFile(T.File)) {
      unsigned Id = Sources.AddNewSourceBuffer(std::move(*Source), SMLoc());
      SMLoc At = Sources.FindLocForLineAndColumn(Id, T.Line, T.Column);
      if (At.isValid()) {
        SMDiagnostic Note = Sources.GetMessage(At, SourceMgr::DK_Note, T.Message);
        M.getContext().diagnose(DiagnosticInfoSrcMgr(Note, M.getName(), false));
        return;
      }
    }
  }
  std::string Text = placeOf(T) + ": " + T.Message.str();
  M.getContext().diagnose(Remark(Text));
}

void tell(Module &M, ArrayRef<Told> All) {
  bool Lost = false;
  for (const Told &T : All) {
    if (T.Kind == "said")
      errs() << T.Message << '\n';
    else if (T.Kind == "warning")
      warn(M, T);
    else if (T.Kind == "note")
      note(M, T);
    Lost |= T.Kind == "warning" && !T.Line;
  }
  if (Lost)
    errs() << M.getSourceFileName()
           << ": note: irkiss: no debug info: -g gives lines and fields (-Rpass-analysis=irkiss lines alone)\n";
}

// --- The pass ---

// Where in a build the module is met.
enum class Stage {
  // One unit, before the passes of the compiler.
  Unit,
  // All units, before the passes of full LTO.
  Link,
  // Wherever `-passes=irkiss` says.
  Asked,
};

// Whether the unit is compiled for a link with full LTO, which sees the whole program. (With ThinLTO nothing ever does.)
bool awaitsLink(const Module &M) {
  auto *Thin = mdconst::extract_or_null<ConstantInt>(M.getModuleFlag("ThinLTO"));
  return Thin && Thin->isZero();
}

bool isWanted(const Module &M, Stage At) {
  if (all_of(M, [](const Function &F) { return F.isDeclarationForLinker(); }))
    return false;
  Lto Which = ltoOf(said(&Switches::Lto, "IRKISS_LTO"));
  if (At == Stage::Link)
    return Which != Lto::Units;
  return At == Stage::Asked || Which != Lto::Link || !awaitsLink(M);
}

void check(Module &M) {
  std::string Name = M.getSourceFileName();
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
    Words.append({"--store", Store});
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
  tell(M, All);
  if (WIFSIGNALED(*Status))
    return notChecked(*Program + " was ended by signal " + Twine(WTERMSIG(*Status)) + " (a crash, or too little memory)");
  if (!Trouble.empty())
    notChecked(Trouble);
}

struct Pass : PassInfoMixin<Pass> {
  Stage At;
  Pass(Stage At) : At(At) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (isWanted(M, At))
      check(M);
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
