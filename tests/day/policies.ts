import { stringify } from 'yaml';
import { bundle, deny } from '../gateway/policy-bundle.js';

const ask = (rule_id: string, argv: string): object => ({
  enabled: true,
  severity: 'warn',
  rule_id,
  kind: 'ask',
  match: { command: { argv: [argv] } },
  effect: { action: 'ASK', message: 'pushes to a branch that others work on are asked about' },
});
/** The policy of the home: it asks, hints and refuses. */
export const POLICY = stringify(
  JSON.parse(
    bundle(
      [
        ask('pushes-to-shared-branches', 'git push*'),
        deny(
          'no-removal-of-folders',
          { command: { argv: ['rm *'] } },
          { hint_text: 'move it to the trash instead' },
        ),
        deny(
          'no-reading-of-credentials',
          { path: { glob: ['**/.ssh/**'] } },
          { message: 'keys are not for agents' },
        ),
      ],
      { mode: 'control' },
    ),
  ),
);
/** That of the project. */
export const PROJECT = `policy_id: shop
version: "3"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-mails-from-here
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [send_mail] } }
    effect: { action: BLOCK, reason_code: MAIL, message: "no mails from this project" }
`;
