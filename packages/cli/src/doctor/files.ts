import { lstatSync } from 'node:fs';
import {
  firstMistake,
  GatewayConfig,
  objectAt,
  readVerifierKey,
  sha256Hex,
  type JsonObject,
  type VerifierKey,
} from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { compilePolicy, foreignTo, openSignature } from '@subluminal/policy';
import { parseTable, readText } from '../home/settings.js';
import { configDifference } from '../gateway/config-text.js';
import { type Asking, takesConfig } from '../gateway/rehearse.js';
import { counted } from '../output/counted.js';
import { failedWith, found, ok, type Check } from './check.js';

/** `config.toml`: every key known, every value possible, and all of it in force where a gateway runs. */
export async function checkConfig({ home, session }: Asking, status: JsonObject | undefined): Promise<Check> {
  try {
    const text = readText(home.config);
    const read = objectAt(status ?? {}, 'config')['sha256'];
    const isRead = status === undefined || read === (text === undefined ? null : sha256Hex(text));
    const difference = status === undefined ? undefined : configDifference(status);
    if (difference !== undefined) return found('config', 'warn', difference.message, difference.help);
    if (text === undefined && isRead) return ok('config', 'no config.toml: the defaults apply');
    const table = parseTable(home.config, text ?? '');
    const { error } = GatewayConfig.safeParse(table);
    const isGood =
      error === undefined || (error.issues.every(isUnknownTable) && (await takesConfig({ home, session })));
    if (isGood && !isRead)
      return found(
        'config',
        'warn',
        'config.toml has changed, and the gateway has not read it yet',
        'run `sub doctor` again in a moment',
      );
    if (isGood)
      return ok('config', status === undefined ? home.config : `${home.config}, as the gateway has read it`);
    const { message, help } = firstMistake(error, table, 'the file');
    return found(
      'config',
      'fail',
      `\`${home.config}\`: ${message}; ${help}`,
      'correct the file, or move it away for the defaults',
    );
  } catch (error) {
    return failedWith('config', error, 'correct the file, or move it away for the defaults');
  }
}

/** A table that the contract does not have: the gateway's program knows whether one of its wings reads it. */
function isUnknownTable({
  code,
  path,
}: {
  readonly code: string;
  readonly path: readonly unknown[];
}): boolean {
  return code === 'unrecognized_keys' && path.length === 0;
}

/** `policy.yaml`: a regular file of ours that others cannot write, and that would load. */
export function checkPolicy(home: HomePaths): Check {
  const help =
    'run `sub policy lint` for every mistake; until it loads, the last good policy decides; without one no gateway starts';
  try {
    const stats = lstatSync(home.policy, { throwIfNoEntry: false });
    const text = readText(home.policy);
    if (stats === undefined || text === undefined) {
      const without = requiredSigners(home) === undefined ? 'nothing is refused' : 'no gateway starts';
      return found(
        'policy',
        'warn',
        `no policy.yaml: the policy that was loaded last decides; where none was, ${without}`,
        `begin with one of \`sub policy init\`, or write \`${home.policy}\` and check it with \`sub policy lint\``,
      );
    }
    if (!stats.isFile())
      return found('policy', 'fail', 'policy.yaml is not a regular file', 'replace it by a file');
    if (process.getuid !== undefined && (stats.uid !== process.getuid() || (stats.mode & 0o022) !== 0)) {
      return found('policy', 'fail', 'others can write policy.yaml', `run \`chmod 600 ${home.policy}\``);
    }
    const result = compilePolicy(text, { filename: home.policy });
    if (!result.ok) {
      const [first] = result.problems;
      return found(
        'policy',
        'fail',
        `policy.yaml:${first?.line ?? 1}: ${first?.message ?? 'would not load'}`,
        help,
      );
    }
    const { policy_id: id, version, mode } = result.snapshot;
    const says = `\`${id}\` ${version}, mode ${mode}, ${counted(result.warnings.length, 'warning')}`;
    const signers = requiredSigners(home);
    if (signers === undefined) return ok('policy', says);
    const signature = openSignature(readText(`${home.policy}.sig`) ?? '', signers);
    const why = typeof signature === 'string' ? signature : foreignTo(signature, text, result.snapshot);
    if (typeof signature !== 'string' && why === undefined) {
      return ok('policy', `${says}, signed by \`${signature.signer}\` with serial ${signature.serial}`);
    }
    return found(
      'policy',
      'fail',
      `\`${home.policy}.sig\`: ${why ?? 'does not verify'}`,
      'sign the file with `sub policy sign` and the key of a signer that config.toml lists',
    );
  } catch (error) {
    return failedWith('policy', error, help);
  }
}

/** The key that must sign a policy here. Undefined where none must, or config.toml cannot be read. */
function requiredSigners(home: HomePaths): readonly VerifierKey[] | undefined {
  const text = readText(home.config);
  if (text === undefined) return undefined;
  const { policy } = parseTable(home.config, text);
  const checked = GatewayConfig.shape.policy.safeParse(policy);
  if (!checked.success || checked.data.accept !== 'signed') return undefined;
  return checked.data.signers.flatMap((signer) => readVerifierKey(signer) ?? []);
}
