import { closeSync, openSync, readSync } from 'node:fs';
import { redact } from '@subluminal/core-types';
import type { ReadVariable } from './ci.js';
import { labelOf } from './label.js';

/** The workload of a pod. */
export interface PodContext {
  readonly namespace?: string;
  readonly service_account?: string;
  readonly pod?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Where Kubernetes puts what it tells a pod: the mount of the service account, and the downward API as
 * manifests mount it.
 */
const POD_FILES = {
  namespace: '/var/run/secrets/kubernetes.io/serviceaccount/namespace',
  labels: '/etc/podinfo/labels',
} as const;

const PODS = ['POD_NAME', 'MY_POD_NAME', 'K8S_POD_NAME'] as const;
const NAMESPACES = ['POD_NAMESPACE', 'MY_POD_NAMESPACE', 'K8S_NAMESPACE'] as const;
const ACCOUNTS = ['POD_SERVICE_ACCOUNT', 'MY_POD_SERVICE_ACCOUNT', 'SERVICE_ACCOUNT_NAME'] as const;

const MAX_FILE = 65_536;
const MAX_LABELS = 64;
/** The names and values that Kubernetes itself takes. */
const LABEL_NAME =
  /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/**
 * The pod that the environment and the files of the downward API speak of; undefined outside of Kubernetes.
 */
export function podContext(
  read: ReadVariable,
  files: { readonly namespace: string; readonly labels: string } = POD_FILES,
): PodContext | undefined {
  const first = (names: readonly string[]): string | undefined =>
    labelOf(names.map((name) => read(name)).find((value) => value !== undefined));
  const isInPod = read('KUBERNETES_SERVICE_HOST') !== undefined;
  const pod = first(PODS) ?? (isInPod ? labelOf(read('HOSTNAME')) : undefined);
  if (!isInPod && pod === undefined) return undefined;
  const namespace = first(NAMESPACES) ?? labelOf(readStart(files.namespace));
  const account = first(ACCOUNTS);
  const labels = labelsIn(readStart(files.labels) ?? '');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(account === undefined ? {} : { service_account: account }),
    ...(pod === undefined ? {} : { pod }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
}

/**
 * Lines such as `app="web"`. A line that is no label of Kubernetes, or looks like a credential, is left out.
 */
export function labelsIn(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = Object.create(null);
  let count = 0;
  for (const line of text.split('\n')) {
    const [, name = '', value = ''] = /^([^="]{1,317})="([^"\\]{0,63})"\r?$/.exec(line) ?? [];
    if (!LABEL_NAME.test(name) || !LABEL_VALUE.test(value) || redact(value).count > 0) continue;
    labels[name] = value;
    if ((count += 1) === MAX_LABELS) break;
  }
  return { ...labels };
}

/** The beginning of a file; undefined where it cannot be read. */
function readStart(path: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.alloc(MAX_FILE);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, MAX_FILE, 0));
  } catch {
    // A run does without a label that cannot be read: no rule allows anything because of one that is missing.
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
