import { behindOptions } from './options.js';

const takes = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const KUBERNETES = takes(
  '-n --namespace --context --cluster --kubeconfig --kube-context -s --server --user --token --as --as-group --request-timeout --cache-dir --certificate-authority --client-certificate --client-key',
);
const TERRAFORM = takes('-chdir');
const PYTHON_PROJECT = takes('-C --directory -P --project --config-file --color --cache-dir');

/** Programs with verbs, and their options with values that may stand before the verb. */
export const GLOBAL_OPTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['gh', takes('-R --repo --hostname')],
  ['kubectl', KUBERNETES],
  ['oc', KUBERNETES],
  ['helm', KUBERNETES],
  ['docker', takes('-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey')],
  ['podman', takes('--connection -c --url --root --runroot --storage-driver --log-level --identity')],
  ['docker-compose', takes('-f --file -p --project-name --profile --env-file --project-directory --ansi')],
  ['npm', takes('-w --workspace --prefix -C --registry --loglevel --userconfig --cache')],
  ['pnpm', takes('--filter -F -C --dir --registry --loglevel')],
  ['yarn', takes('--cwd --registry')],
  ['bun', takes('--cwd --filter')],
  ['cargo', takes('--config -Z -C --color --manifest-path')],
  ['terraform', TERRAFORM],
  ['tofu', TERRAFORM],
  ['terragrunt', takes('--terragrunt-working-dir --working-dir')],
  ['pulumi', takes('-C --cwd -s --stack --color')],
  ['aws', takes('--profile --region --output --endpoint-url --query --color --ca-bundle')],
  ['gcloud', takes('--project --account --configuration --format --verbosity --impersonate-service-account')],
  ['gsutil', takes('-o -h -u -i')],
  ['bq', takes('--project_id --location --format --dataset_id')],
  ['systemctl', takes('-H --host -M --machine -t --type -p --property -s --signal')],
  ['apt', takes('-o -c -t')],
  ['apt-get', takes('-o -c -t')],
  ['pip', takes('--proxy --cert --log --cache-dir --python')],
  ['pip3', takes('--proxy --cert --log --cache-dir --python')],
  ['poetry', PYTHON_PROJECT],
  ['uv', PYTHON_PROJECT],
  ['fly', takes('-t --access-token -a --app -c --config')],
  ['flyctl', takes('-t --access-token -a --app -c --config')],
  ['vercel', takes('-t --token --cwd -S --scope -A --local-config -Q --global-config')],
  ['firebase', takes('-P --project --account --token')],
  ['doctl', takes('-t --access-token --context -c --config -o --output -u --api-url')],
  ['wrangler', takes('-c --config -e --env --cwd')],
  ['heroku', takes('-a --app -r --remote')],
  ['nomad', takes('-address -region -namespace -token')],
  ['supabase', takes('--workdir --profile --network-id')],
  ['rclone', takes('--config --log-level')],
]);

/** Verbs with verbs of their own, and the options with values that may stand between the two. */
const SECOND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['docker compose', GLOBAL_OPTIONS.get('docker-compose') ?? new Set()],
  ['podman compose', GLOBAL_OPTIONS.get('docker-compose') ?? new Set()],
  ...['stash', 'remote', 'worktree', 'submodule', 'reflog'].map((verb): [string, ReadonlySet<string>] => [
    `git ${verb}`,
    new Set(),
  ]),
]);

/** The place of the verb in the words of a command, the program's own being 0. */
export function verbAt(program: string, words: readonly string[]): number {
  const own = GLOBAL_OPTIONS.get(program);
  if (own === undefined) return 1;
  const at = behindOptions(words, own, words[1]?.startsWith('+') === true ? 2 : 1);
  // `yarn workspace NAME VERB`.
  return program === 'yarn' && words[at] === 'workspace' ? at + 2 : at;
}

/**
 * The words of a command with its verb first: options that stand before the verb follow behind all others,
 * so that `kubectl -n x delete y` is `kubectl delete y -n x`.
 */
export function verbFirst(program: string, words: readonly string[]): readonly string[] {
  const ordered = behind(words, 1, verbAt(program, words));
  const inner = SECOND.get(`${program} ${ordered[1] ?? ''}`);
  return inner === undefined ? ordered : behind(ordered, 2, behindOptions(ordered, inner, 2));
}

/** Puts the words from one place to another behind all others. */
function behind(words: readonly string[], from: number, to: number): readonly string[] {
  if (to <= from || to >= words.length) return words;
  return [...words.slice(0, from), ...words.slice(to), ...words.slice(from, to)];
}
