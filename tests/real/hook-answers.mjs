// Answers of a hook to a command `touch NAME`, by that name: the broken ways, and the right one.
const decision = (permissionDecision, more = {}) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision,
    permissionDecisionReason: 'because',
    ...more,
  },
});

/**
 * Status and body by name; 0: none ever comes, -1: the connection breaks. A name that is not here is answered
 * with no opinion.
 *
 * @type {Readonly<Record<string, readonly [status: number, body: string]>>}
 */
export const ANSWERS = {
  'no-opinion': [200, '{}'],
  deny: [200, JSON.stringify(decision('deny'))],
  ask: [200, JSON.stringify(decision('ask'))],
  'deny-extra-key': [200, JSON.stringify({ ...decision('deny'), unknown: 1 })],
  'deny-upper-case': [200, JSON.stringify(decision('DENY'))],
  'deny-no-reason': [
    200,
    JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }),
  ],
  'deny-with-403': [403, JSON.stringify(decision('deny'))],
  'continue-false': [200, '{"continue": false}'],
  'empty-body': [200, ''],
  'no-json': [200, 'certainly'],
  'status-500': [500, '{}'],
  'status-429': [429, '{}'],
  hangs: [0, ''],
  breaks: [-1, ''],
};
