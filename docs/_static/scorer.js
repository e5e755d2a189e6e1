// How the search ranks: a page or section that is called as asked comes before those that only have the words.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
