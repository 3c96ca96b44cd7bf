// What the checker answers: the lines of src/report/wire.rs.
#ifndef IRKISS_ANSWER
#define IRKISS_ANSWER

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <tuple>

namespace irkiss {

using namespace llvm;

// A line of its answer.
struct Told {
  // `checked`: something may run beside something else in it. `warning`, `note`: of a finding. `said`: to be printed as it is.
  StringRef Kind, Rule, File;
  unsigned Line = 0, Column = 0;
  StringRef Function, Message;
};

// The answer taken apart; `trouble` if it is not whole.
inline SmallVector<Told> parse(StringRef Text, StringRef &Trouble) {
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
    } else if (T.Kind == "checked" && Words.size() == 1) {
      All.push_back(T);
    } else if (T.Kind == "complaint" && Words.size() == 2) {
      T.Message = Words[1];
      All.push_back(T);
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

} // namespace irkiss

#endif
