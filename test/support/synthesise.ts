import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { install } from '#infra/stacks/installation.ts';
import { type StageSettings, stageSettings } from '#infra/stages.ts';

/** The flags that a deployment is synthesised with. */
export function deployedContext(): Record<string, unknown> {
  const text = readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { context: Record<string, unknown> }).context;
}

/**
 * An app as the CDK command line would build it. Bundles are left out, since templates do not need
 * them, and so are the checks of whole templates, which have a test of their own.
 */
export function testApp({ validated = false } = {}): App {
  return new App({
    builtinCloudFormationValidation: validated,
    context: { ...deployedContext(), 'aws:cdk:bundling-stacks': [] },
    analyticsReporting: false,
  });
}

export type Templates = { readonly ledger: Template; readonly service: Template };

/** Both templates of an installation. Throws what synthesis throws. */
export function synthesise(settings: StageSettings): Templates {
  const { ledger, service } = install(testApp(), settings);
  return { ledger: Template.fromStack(ledger), service: Template.fromStack(service) };
}

/** The settings of production, as committed. */
export function production(changes: Partial<StageSettings> = {}): StageSettings {
  return { ...stageSettings('prod'), ...changes };
}

export type Resource = {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
};

/** Resources of a type by logical id, as the template says, not as any construct was told. */
export function resourcesOf(template: Template, type: string): Readonly<Record<string, Resource>> {
  return template.findResources(type) as Record<string, Resource>;
}
