import { type JsonValue, numberAt } from '@subluminal/core-types';

/** The most that the programs of one world may use together. Absent: nobody has set it. */
export interface WorldLimits {
  readonly memoryBytes?: number;
  /** Processors: 1.5 is one and a half. */
  readonly cpus?: number;
  readonly processes: number;
  /** From the start of the world. */
  readonly wallMs?: number;
  readonly diskBytes?: number;
}

/** More than a build starts, and less than a machine has. */
export const DEFAULT_PROCESSES = 4096;

/** The limits of the `settings` that the answer to `world.open` carries. */
export function limitsOf(answer: JsonValue): WorldLimits {
  const at = (key: string): number | undefined => numberAt(answer, 'settings', 'limits', key);
  const [memoryBytes, cpus, wallMs, diskBytes] = ['memory_bytes', 'cpus', 'wall_ms', 'disk_bytes'].map(at);
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(cpus === undefined ? {} : { cpus }),
    processes: at('processes') ?? DEFAULT_PROCESSES,
    ...(wallMs === undefined ? {} : { wallMs }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
  };
}
