import { chmodSync } from 'node:fs';
import { bundleOps } from './bundle-ops.ts';

/** `npm pack` runs this: the executable of package.json's "bin". */
const EXECUTABLE = 'dist/remind-once.mjs';

await bundleOps(EXECUTABLE);
chmodSync(EXECUTABLE, 0o755);
