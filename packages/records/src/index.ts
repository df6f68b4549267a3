/** The complete public surface of @subluminal/records: named exports only. */
export { argsOf } from './deciding/args.js';
export { connectionCounts, connectionRows, countsText } from './connections/connection-counts.js';
export type { ConnectionCounts } from './connections/connection-counts.js';
export { worldPlaces, type WorldPlaces } from './connections/world-places.js';
export { runPlaces } from './connections/run-places.js';
export type { OfRun, RunPlace, RunPlaces } from './connections/run-places.js';
export { destinationOf, NAME } from './connections/destination.js';
export { CONNECT, connectionOf, connectionJson } from './connections/connection.js';
export type { ConnectionRecord } from './connections/connection.js';
export { entryJson, previewsOf } from './entry.js';
export type { PreviewState } from './entry.js';
export { eventOf, newestTold, toldEvent } from './events.js';
export { findRun, findRow, findCallStart } from './find.js';
export { flagsOf, flaggedJson, unusualCounts } from './flags.js';
export { follow, writtenTo } from './follow.js';
export { hints, hintOfCall, hintJson, callIdOf, callOf } from './hints.js';
export type { HintRecord } from './hints.js';
export { history } from './deciding/history.js';
export type { Happening, CallFacts } from './deciding/history.js';
export { identityOf } from './deciding/identity.js';
export { isOfRecord, LiveRecords } from './live-records.js';
export { policyByHash } from './deciding/policies.js';
export { argsIn, EXPIRED, objectIn, objectOf, previewsBetween, shownArgs } from './objects/object.js';
export type { PreviewSource } from './objects/object.js';
export {
  OPENING,
  opensRecord,
  recordOf,
  recordAround,
  toolOf,
  ownerOf,
  actionOf,
  statusOf,
  factsOf,
  recordJson,
  refuses,
  wasRefused,
} from './record.js';
export type { CallRecord } from './record.js';
export { explainedJson, explainRecorded, rulingJson } from './deciding/explained.js';
export type { ExplainedCall } from './deciding/explained.js';
export { refusedCall } from './deciding/refused.js';
export type { RefusedCall } from './deciding/refused.js';
export { ingestedEvents, ingestedJson, ingestedRun, ingestedRuns, ingestedTexts } from './runs/ingested.js';
export type { IngestedRun } from './runs/ingested.js';
export { runCounts, type RunCounts } from './runs/run-counts.js';
export { NO_REFUSALS, questionIn, refusalCounts, refusalRows } from './runs/refusal-counts.js';
export type { RefusalCounts } from './runs/refusal-counts.js';
export { projectOf, runEnd, runJson, runRecords, runStart } from './runs/runs.js';
export type { RunRecord } from './runs/runs.js';
export { DECISION_WORDS, decisionsNamed, STATUS_WORDS, statusesNamed } from './words.js';
export { brakeOf, decisionOf, outcomeOf, wordFor, wordForRuling } from './words.js';
export type { Decided, Ended } from './words.js';
export { shown, shownJson } from './shown.js';
export { answersByRule, isTooWide } from './stats/answers.js';
export type { RuleAnswers } from './stats/answers.js';
export { statsJson, statsSince } from './stats/stats.js';
export type { Stats } from './stats/stats.js';
export { callsOfQuestions } from './waiting/asked-calls.js';
export { passedByQuestions } from './waiting/passed-calls.js';
export {
  endIn,
  endedText,
  endsOf,
  endWithRun,
  questionEndOf,
  questionIdOf,
  questionOf,
} from './questions/ends.js';
export { reachWay } from './ways/reach.js';
export { askedText, refusalFacts, waysOf, waysOn } from './ways/ways.js';
export type { RefusalFacts } from './ways/ways.js';
export type { QuestionEnd } from './questions/ends.js';
export { reportOf } from './report/reported.js';
export type {
  Report,
  Reported,
  ReportedFile,
  ReportedLayered,
  ReportedQuestion,
  ReportScope,
} from './report/report.js';
export type { Turn } from './report/walk.js';
export { openHints } from './waiting/open-hints.js';
export { seenBy } from './hooks.js';
export { type ClientSession, clientSessions, type SessionStep } from './sessions.js';
export type { Shown, ShownRecord } from './shown.js';
export { neededToStart, standingJson, standingOf } from './standing.js';
export type { Standing } from './standing.js';
export { bothSearches, isLeftOut, matches, search } from './search.js';
export type { Found, RecordTest, Search } from './search.js';
export { FILTER_KEYS, filterText, MAX_FILTER, parseFilter } from './filter/parse.js';
export type { FilterKey, FilterTerm, ParsedFilter } from './filter/parse.js';
export { filterSearch, IS_WORDS, kindOf, RECORD_KINDS } from './filter/search-of.js';
export type { FilterSearch, RecordKind } from './filter/search-of.js';
export { commandTest, hostTest, nameTest, objectTest, pathTest } from './objects/tests.js';
export { projectTest, textTest } from './objects/tests-of-text.js';
export { isOfDoctor, isRunOfDoctor } from './connections/of-doctor.js';
export { seenPlaces, allowCommand } from './connections/seen-places.js';
export type { SeenPlace } from './connections/seen-places.js';
export { type LayerDecision, layerDecisionOf, type LeftChanges } from './layers/decision.js';
export { signsIn, signsOf } from './layers/signs.js';
