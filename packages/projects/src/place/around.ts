import { redact, type JsonObject, type PayloadOf } from '@subluminal/core-types';
import type { TrustedPolicies } from '../trusted/trusted-policies.js';
import { findingData, lookAround, type ProjectSight, type Seen } from './finding.js';

const NOWHERE: Seen = { findings: [], folders: [], project: undefined };

/**
 * Looks around the place where a run begins: by its own word, and by where its process works. Without a
 * trusted policy nothing depends on where that is, and it is never `late`.
 */
export async function aroundRun(
  { trusted, sight }: { readonly trusted: TrustedPolicies; readonly sight: ProjectSight },
  { holder, workload }: PayloadOf<'run.begin'>,
): Promise<Seen | 'late'> {
  const said = workload?.repo_path;
  const working = sight.folderOf(holder.pid);
  const folder = said?.startsWith('/') === true ? said : working;
  if (folder === undefined) return NOWHERE;
  const folders = [...new Set([folder, ...(working === undefined ? [] : [working])])];
  const seen = await lookAround(sight, folder, (file) => trusted.find(file)?.sha256);
  if (seen !== 'late') return { ...seen, folders: [...new Set([...seen.folders, ...folders])] };
  return trusted.size === 0 ? { ...NOWHERE, folders } : 'late';
}

/** As `run_start` says it. */
export function recordedData({ findings, project }: Seen): JsonObject {
  return {
    ...(project === undefined ? {} : { project: redact(project).text }),
    ...(findings.length === 0 ? {} : { projects: findings.map(findingData) }),
  };
}

/** As the run is answered. */
export function answeredData({ findings, project }: Seen): JsonObject {
  return { project: project ?? null, projects: findings.map(findingData) };
}
