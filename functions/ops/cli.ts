import { main } from '#functions/ops/main.ts';

/** Entry of the operator's command line: `npm run ops -- <command>`. */
process.exitCode = await main(process.argv.slice(2), process);
