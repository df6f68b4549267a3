/** A policy that blocks every call of a tool named `rm`, and nothing else. */
export function denyRm(version = '1'): string {
  return `policy_id: test
version: "${version}"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-rm
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [rm] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: rm is not allowed }
`;
}
