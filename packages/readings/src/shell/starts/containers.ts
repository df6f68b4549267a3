import { normalPath } from '../../paths/normal.js';
import { fork, NOTHING_GIVEN } from '../frame.js';
import { HOLE } from '../marks.js';
import { behindOptions } from '../operands/options.js';
import { note, type Run } from './running.js';

const CONTAINER_TAKES = new Set(
  '-v -e -w -u -p -m -h -l -a -c --volume --mount --env --workdir --user --publish --name --network --entrypoint --memory --env-file --platform --label --cpus --hostname --add-host -f --file --project-name -n --namespace --container --context'.split(
    ' ',
  ),
);

/** `docker run`, `kubectl exec`: a command in a container, which sees what is mounted. */
export const container: Run = (running) => {
  const { shell, frame, operands, given, program } = running;
  note(running);
  let at = behindOptions(operands, CONTAINER_TAKES);
  if (operands[at] === 'compose' || operands[at] === 'container')
    at = behindOptions(operands, CONTAINER_TAKES, at + 1);
  if (operands[at] !== 'run' && operands[at] !== 'exec') return;
  const image = behindOptions(operands, CONTAINER_TAKES, at + 1);
  const mounts = mountsOf(operands.slice(at + 1, image)).map(
    ([from, to]) => [normalPath(from, frame.cwd[0] ?? HOLE, shell.place), to] as const,
  );
  const rest = operands.slice(image + 1);
  const words = rest[0] === '--' ? rest.slice(1) : rest;
  const inner = { isRemote: true, mounts, cwd: [HOLE], via: [...frame.via, program], depth: frame.depth + 1 };
  shell.run(fork(frame, inner), words.length === 0 ? ['true'] : words, {
    ...NOTHING_GIVEN,
    stdin: given.stdin ?? frame.piped,
  });
};

function mountsOf(options: readonly string[]): readonly (readonly [string, string])[] {
  return options.flatMap((word, at): readonly (readonly [string, string])[] => {
    const value = /^(?:-v|--volume|--mount)$/.test(word)
      ? options[at + 1]
      : /^(?:--volume=|--mount=|-v=?)(.*)$/s.exec(word)?.[1];
    if (value === undefined) return [];
    const from = /(?:src|source)=([^,]+)/.exec(value)?.[1];
    const to = /(?:dst|target|destination)=([^,]+)/.exec(value)?.[1];
    const [first = '', second = ''] = value.split(':');
    return [[from ?? first, to ?? second]];
  });
}
