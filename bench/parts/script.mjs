import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs a package's own bench as a part, with its output below the part's header. */
export function script(path, { short, full }) {
  return (form) => {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const { status } = spawnSync(process.execPath, [file, ...(form.short ? short : full)], {
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`${path} ended with ${status}`);
  };
}
