import { existsSync } from 'node:fs';
import {
  canonicalize,
  ExactNumber,
  sha256Hex,
  SublError,
  textAt,
  type JsonValue,
} from '@subluminal/core-types';
import {
  insertAllow,
  unifiedDiff,
  type AllowDraft,
  type AllowRuleJson,
  type ArgValue,
  type InsertResult,
} from '@subluminal/policy';
import { argsOf, refusedCall, type RefusedCall } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { agrees } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { withRecord } from '../../record/open.js';
import { readFileText, replaceFileText } from '../../files/replace-text.js';

/** The arguments that the rule asks for, and those that it leaves open. */
interface Covered {
  readonly values: Readonly<Record<string, ArgValue>>;
  /** Arguments of the call that no predicate can ask for: the rule takes any value of them. */
  readonly open: readonly string[];
}

/** The flags of `sub hints promote` that a rule is made by. */
type Promoting = Call<{
  readonly file: string | undefined;
  readonly anyArgs: boolean;
  readonly yes: boolean;
}>;

/**
 * `sub hints promote CALL --persist`: an allow rule in the policy file, above the rule that refused the call.
 */
export async function persist(call: Promoting, namedCall: string): Promise<number> {
  const { output, session } = call;
  const named = call.flags.file ?? call.home.policy;
  const { refused, covered } = await fromRecord(call, namedCall);
  const file = readFileText(named);
  const draft: AllowDraft = {
    server_name: refused.server,
    tool_name: refused.tool,
    args: covered.values,
    overrides: refused.ruleId,
    message: 'allowed by the operator',
    description: `promoted from call ${refused.callId} on ${new Date(session.now()).toISOString().slice(0, 10)}`,
  };
  const result = insertAllow(file.text, draft, { filename: named });
  if (!result.ok) throw notInserted(result, named);
  const diff = unifiedDiff(file.text, result.text, named);
  if (!output.json) {
    output.lines(diff.map((line) => paintDiff(line, output.paint)));
    output.lines(['', ...coverage(result.rule, covered, call.flags.anyArgs)]);
  }
  const isWritten = await agrees(call, `write this to \`${escapeText(named)}\`?`);
  if (isWritten) replaceFileText(file, result.text, process.pid);
  if (output.json) {
    output.value({
      written: isWritten,
      file: file.path,
      rule: result.rule,
      open: covered.open,
      diff: diff.join('\n'),
    });
  } else output.lines(isWritten ? written(call, named, file.path) : ['nothing was written']);
  return isWritten ? EXIT.done : EXIT.failed;
}

function fromRecord(
  call: Promoting,
  namedCall: string,
): Promise<{ readonly refused: RefusedCall; readonly covered: Covered }> {
  return withRecord(call.home, (reader) => {
    const refused = refusedCall(reader, namedCall);
    if (call.flags.anyArgs) return { refused, covered: { values: {}, open: [] } };
    const args = argsOf(reader, refused.record);
    const hash = textAt(refused.record.first.data, 'call', 'args_hash');
    const isWhole = args.kind === 'whole' && sha256Hex(canonicalize(args.values)) === hash;
    if (isWhole) return { refused, covered: coveredBy(args.values) };
    const what =
      args.kind === 'uninspected' ? 'were too large to be inspected' : 'are not all kept in the ledger';
    throw new SublError(
      'failed',
      `the arguments of call \`${refused.callId}\` ${what}, so that no rule can ask for them`,
      {
        help: 'add `--any-args` for a rule that takes any arguments, or write the rule by hand',
      },
    );
  });
}

function coveredBy(args: Readonly<Record<string, JsonValue>>): Covered {
  const values: Record<string, ArgValue> = Object.create(null);
  const open: string[] = [];
  for (const [key, value] of Object.entries(args)) {
    if (isArgValue(value)) values[key] = value;
    else open.push(key);
  }
  return { values, open };
}

/** A number that is no double cannot be written into a bundle. */
function isArgValue(value: JsonValue): value is ArgValue {
  if (value instanceof ExactNumber) return false;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** The calls that the rule lets through, and their parts that it does not look at. */
function coverage(rule: AllowRuleJson, { values, open }: Covered, isAny: boolean): readonly string[] {
  const names = (keys: readonly string[]): string => keys.map((key) => `\`${escapeText(key)}\``).join(', ');
  const keys = Object.keys(values);
  const lifted = escapeText(rule.effect.overrides[0]);
  const which = isAny || keys.length === 0 ? 'any arguments' : `exactly these values of ${names(keys)}`;
  return [
    `rule \`${lifted}\` no longer refuses this tool with ${which}; every other rule decides as before`,
    ...(open.length === 0
      ? []
      : [`not looked at: ${names(open)} (a rule compares texts, numbers and truth values only)`]),
    ...(isAny ? [] : ['further arguments beside these are not looked at either']),
  ];
}

function written(call: Call, named: string, path: string): readonly string[] {
  const then =
    named === call.home.policy
      ? 'written; the gateway loads it by itself unless `policy.accept` says otherwise; `sub policy show` shows what decides'
      : 'written; it decides once it is the policy of a home';
  const isSigned = existsSync(`${path}.sig`);
  return [
    then,
    ...(isSigned ? ['its signature is that of the text before: `sub policy sign` makes a new one'] : []),
  ];
}

function paintDiff(line: string, paint: Call['output']['paint']): string {
  const tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : 'plain';
  return paint(line.startsWith('@') ? 'dim' : tone, escapeText(line));
}

function notInserted(result: InsertResult & { readonly ok: false }, named: string): SublError {
  const [problem] = result.problems ?? [];
  if (result.why === 'invalid') {
    const where = problem === undefined ? '' : `:${problem.line}:${problem.column}: ${problem.message}`;
    return new SublError('policy_invalid', `\`${named}\`${where || ` cannot be edited: ${result.message}`}`, {
      help: 'nothing was written; `sub policy lint` lists every mistake',
    });
  }
  const { message, help } = result;
  return new SublError(result.why === 'no_rule' ? 'not_found' : 'failed', `\`${named}\`: ${message}`, {
    help: help ?? 'nothing was written',
  });
}
