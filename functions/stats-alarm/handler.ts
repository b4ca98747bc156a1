import { createStatsAlarm } from '#functions/stats-alarm/stats-alarm.ts';

/** Lambda entry of the stats function: one reading, one judgement, one heartbeat a tick. */
export const handler = createStatsAlarm(process.env);
