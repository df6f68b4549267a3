import { expect, it } from 'vitest';
import { verbFirst } from './global-options.js';

it.each([
  ['kubectl -n x delete pod y', 'kubectl delete pod y -n x'],
  ['kubectl --namespace=x get pods -o wide', 'kubectl get pods -o wide --namespace=x'],
  ['gh -R a/b pr list', 'gh pr list -R a/b'],
  ['docker -H tcp://x compose -f a.yml down -v', 'docker compose down -v -H tcp://x -f a.yml'],
  ['npm -w x publish', 'npm publish -w x'],
  ['yarn --cwd a workspace b publish', 'yarn publish --cwd a workspace b'],
  ['cargo +nightly publish', 'cargo publish +nightly'],
  ['git stash -q drop', 'git stash drop -q'],
  ['ls -la x', 'ls -la x'],
  ['kubectl -n', 'kubectl -n'],
  ['kubectl', 'kubectl'],
])('%s is %s', (written, ordered) => {
  const words = written.split(' ');
  expect(verbFirst(words[0] ?? '', words).join(' ')).toBe(ordered);
});
