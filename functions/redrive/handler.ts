import { createRedrive } from '#functions/redrive/redrive.ts';

/** Lambda entry of the redrive: once per tick of its schedule, or on a person's request. */
export const handler = createRedrive(process.env);
