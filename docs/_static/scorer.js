// How the search ranks: what is called as asked comes before what only has the words; of two names that differ in case
// alone, the one that is written as asked; of one name in two places, the more special one.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  asked: () => (new URLSearchParams(window.location.search).get("q") || "").trim().replace(/\s+/g, " "),

  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const asked = Scorer.asked();
    const called = title.split(" > ").pop();
    const names = [called, called.split(".").pop()];
    const lower = asked.toLowerCase();
    if (names.includes(asked)) score += 200;
    else if (names.some((name) => name.toLowerCase() === lower)) score += 150;
    else if (called.toLowerCase().startsWith(lower)) score += 60;
    // Pages to learn from are written for those who ask by words.
    if (docname.startsWith("learn/") && called.toLowerCase().includes(lower)) score += 40;
    return docname === "reference/torch" ? score - 1 : score;
  },
};
