// What is found, as diagnostics of the program that compiles or links.
#ifndef IRKISS_DIAGNOSTICS
#define IRKISS_DIAGNOSTICS

#include "answer.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

namespace irkiss {

using namespace llvm;

// Where in a build the module is met.
enum class Stage {
  // One unit, before the passes of the compiler.
  Unit,
  // All units, before the passes of full LTO.
  Link,
  // Wherever `-passes=irkiss` says.
  Asked,
};

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

// What the source calls it, as irkiss does: without parameters.
inline std::string sourceName(const Function &F) {
  std::string Name = demangle(F.getName());
  return Name.substr(0, Name.find('('));
}

inline Place placeIn(const Module &M, const Told &T) {
  Place Best;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    const DISubprogram *Own = F.getSubprogram();
    bool Named = (Own && Own->getName() == T.Function) || sourceName(F) == T.Function;
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
inline std::string placeOf(const Told &T) {
  if (T.Line && !T.File.empty())
    return (T.File + ":" + Twine(T.Line) + ":" + Twine(T.Column)).str();
  return T.Function.str() + "()";
}

// A finding. Clang tells it as its own: with the source, and with the group -Wpass-failed and the name of the rule.
class Finding : public DiagnosticInfoOptimizationFailure {
public:
  using DiagnosticInfoOptimizationFailure::DiagnosticInfoOptimizationFailure;
  // For opt and lld, which show the text alone.
  void print(DiagnosticPrinter &Printer) const override {
    DiagnosticInfoOptimizationFailure::print(Printer);
    Printer << " [" << getPassName() << "]";
  }
};

inline void warn(Module &M, const Told &T) {
  Place In = placeIn(M, T);
  // There is a function, or nothing would have been checked.
  assert(In.At);
  std::string Message = In.OnLine ? T.Message.str() : placeOf(T) + ": " + T.Message.str();
  std::string Rule = T.Rule.str();
  DiagnosticLocation At = In.OnLine ? DiagnosticLocation(In.At->getDebugLoc()) : DiagnosticLocation();
  Finding Warning(Rule.c_str(), "Found", At, In.At->getParent());
  Warning << Message;
  M.getContext().diagnose(Warning);
}

// Whether clang can show a line of a file that it is handed along with a note.
inline bool showsFiles(const Module &M) {
  // It has read IR, and has no sources.
  StringRef Name = M.getModuleIdentifier();
  if (Name.ends_with(".bc") || Name.ends_with(".ll") || Name == "<stdin>")
    return false;
  // In the form of SARIF, which it calls unstable, it breaks down over one.
  auto Words = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
  return !Words || !(*Words)->getBuffer().contains("-fdiagnostics-format=sarif");
}

// The other access of a finding. The compiler shows it where the warning was shown, with its place if the source can be read.
inline void note(Module &M, const Told &T, Stage At) {
  // The linker's notes go to standard output, away from its warnings.
  if (At == Stage::Link) {
    errs() << placeOf(T) << ": note: " << T.Message << '\n';
    return;
  }
  SourceMgr Sources;
  if (T.Line && showsFiles(M)) {
    if (auto Source = MemoryBuffer::getFile(T.File)) {
      unsigned Id = Sources.AddNewSourceBuffer(std::move(*Source), SMLoc());
      SMLoc Place = Sources.FindLocForLineAndColumn(Id, T.Line, T.Column);
      if (Place.isValid()) {
        SMDiagnostic Note = Sources.GetMessage(Place, SourceMgr::DK_Note, T.Message);
        M.getContext().diagnose(DiagnosticInfoSrcMgr(Note, M.getName(), false));
        return;
      }
    }
  }
  std::string Text = placeOf(T) + ": " + T.Message.str();
  M.getContext().diagnose(Remark(Text));
}

// Whether there is debug information about types, by which irkiss knows the fields and entry points of drivers.
inline bool hasTypes(const Module &M) {
  return any_of(M.debug_compile_units(),
                [](const DICompileUnit *U) { return U->getEmissionKind() == DICompileUnit::FullDebug; });
}

inline void tell(Module &M, ArrayRef<Told> All, Stage At) {
  bool Checked = any_of(All, [](const Told &T) { return T.Kind == "checked"; });
  for (const Told &T : All) {
    if (T.Kind == "warning")
      warn(M, T);
    else if (T.Kind == "note")
      note(M, T, At);
    // That a unit starts no thread is no news; of a whole program it may be that its threads are not seen.
    else if (T.Kind == "said" && (Checked || At != Stage::Unit))
      errs() << T.Message << '\n';
  }
  if (Checked && !hasTypes(M))
    errs() << M.getSourceFileName()
           << ": note: irkiss: compiled without -g: of a driver next to nothing is seen, of a program no fields"
              " (-Rpass-analysis=irkiss gives lines alone)\n";
}

} // namespace irkiss

#endif
