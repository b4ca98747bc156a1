import { fileURLToPath } from 'node:url';
import { OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Modules of the SDK that a function gets something else for. */
export const REPLACED_MODULES: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node': `${REPOSITORY}functions/adapters/aws/lambda-credentials.ts`,
};

/** What the SDK would load for operations that stream events; we call none. */
export const UNREACHED_MODULES: readonly string[] = ['@smithy/core/event-streams'];

/** Some dependency may still call require(); an ES module has none of its own. */
export const BANNER =
  "import{createRequire as remindOnceRequire}from'node:module';const require=remindOnceRequire(import.meta.url);";

export const TARGET = 'node24';

/**
 * For a `NodejsFunction`. The AWS SDK is inside, so that the tested release is the one that runs.
 * Source maps carry no sources, only lines.
 */
export const BUNDLING = {
  format: OutputFormat.ESM,
  target: TARGET,
  minify: true,
  sourceMap: true,
  sourcesContent: false,
  bundleAwsSDK: true,
  mainFields: ['module', 'main'],
  forceDockerBundling: false,
  banner: BANNER,
  esbuildArgs: {
    '--legal-comments': 'none',
    ...Object.fromEntries(
      Object.entries(REPLACED_MODULES).map(([module, path]) => [`--alias:${module}`, path]),
    ),
  },
};
