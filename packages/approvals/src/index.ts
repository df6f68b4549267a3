/** The complete public surface of @subluminal/approvals: named exports only. */
export { approvalsActions } from './actions/actions.js';
export type { ApprovalsActions } from './actions/actions.js';
export { QuestionStore } from './questions/question-store.js';
export { Questions } from './questions/questions.js';
export { Approvals } from './requests/approvals.js';
export { APPROVALS_TABLES } from './requests/tables.js';
