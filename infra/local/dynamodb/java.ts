import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** DynamoDB Local 3 is built for this release; an older one refuses its classes. */
export const LEAST_JAVA = 17;

export type JavaFound =
  | { readonly kind: 'found'; readonly command: string; readonly release: number }
  /** `problem` says what was tried, seen and needed. */
  | { readonly kind: 'missing'; readonly problem: string };

/** Looks for a Java of release 17 or later: `$JAVA_HOME/bin/java` when set, else `java` on the path. */
export async function findJava(environment: NodeJS.ProcessEnv = process.env): Promise<JavaFound> {
  const home = environment['JAVA_HOME'];
  const command = home ? join(home, 'bin', 'java') : 'java';
  const tried = home ? `${command} (from JAVA_HOME)` : 'java on the PATH';
  const banner = await versionBanner(command, environment);
  if (banner === undefined) {
    return missing(`${tried} does not start`);
  }
  const release = Number(/version "(\d+)/.exec(banner)?.[1] ?? 0);
  if (release < LEAST_JAVA) return missing(`${tried} is release ${release || 'unknown'}`);
  return { kind: 'found', command, release };
}

function missing(seen: string): JavaFound {
  return {
    kind: 'missing',
    problem: `DynamoDB Local needs Java ${LEAST_JAVA} or later; ${seen}. Install one or set JAVA_HOME, or use the engine dynalite, which needs only Node.`,
  };
}

function versionBanner(
  command: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      command,
      ['-version'],
      { env: environment, timeout: 20_000 },
      (error, stdout, stderr) => {
        resolve(error ? undefined : `${stderr}${stdout}`);
      },
    );
  });
}
