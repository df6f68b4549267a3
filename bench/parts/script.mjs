import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a package's own bench as a part, with its output below the part's header. */
export function script(path, { short, full }) {
  return async (form) => {
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const child = spawn(process.execPath, [file, ...(form.short ? short : full)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (chunk) => process.stdout.write(chunk));
    const [status] = await once(child, 'close');
    if (status !== 0) throw new Error(`${path} ended with ${status}`);
  };
}
