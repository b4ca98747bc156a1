/**
 * A channel as a sender takes it: the settings that every channel has and the named ones are
 * required, what the configuration gives a default may be left out.
 */
export type ChannelSettings<Config extends ChannelBase, Needed extends keyof Config = never> = Pick<
  Config,
  keyof ChannelBase | Needed
> &
  Partial<{ [Name in keyof Config]: Config[Name] | undefined }>;

type ChannelBase = {
  readonly provider: string;
  readonly sendTimeoutMs: number;
  readonly commitSeconds: number;
  readonly blindPolicy: 'park' | 'resend' | 'assume-sent';
};
