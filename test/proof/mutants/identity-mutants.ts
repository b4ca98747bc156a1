import { type Mutant, SUITE } from './mutant.ts';

/** What makes two deliveries one reminder, and two reminders two. */
export const IDENTITY_MUTANTS: readonly Mutant[] = [
  {
    name: 'the key is joined with a colon',
    file: 'functions/core/send-key.ts',
    find: 'hmac(epoch, tupleOf(reminder, epoch.keyFields))',
    replace:
      "hmac(epoch, [reminder.userId, reminder.reminderId, reminder.scheduledAt.canonical, ...tupleOf(reminder, epoch.keyFields).slice(0, 0)].join(':'))",
    suites: [SUITE.seeded],
  },
  {
    name: 'the attempt is part of the key',
    file: 'functions/core/send-key.ts',
    find: "['reminder_id', reminder.reminderId],",
    replace: "['reminder_id', reminder.reminderId], ['attempt', reminder.attempt],",
    suites: [SUITE.ended, SUITE.deferred],
  },
  {
    name: 'ids are not normalised',
    file: 'functions/core/field-schemas.ts',
    find: ".check(z.normalize('NFC'))",
    replace: '',
    suites: [SUITE.reminder],
  },
  {
    name: 'an unsafe integer is taken as an id',
    file: 'functions/core/field-schemas.ts',
    find: 'z.pipe(z.int(), z.transform(String))',
    replace: 'z.pipe(z.number(), z.transform(String))',
    suites: [SUITE.reminder],
  },
  {
    name: 'a blank id is taken as an id',
    file: 'functions/core/reminder.ts',
    find: "text.trim() !== ''",
    replace: 'true',
    suites: [SUITE.reminder],
  },
  {
    name: 'the newest key epoch wins whatever the reminder’s instant',
    file: 'functions/core/key-epoch.ts',
    find: 'if (startsAfter(epoch, scheduledAt)) continue;',
    replace: '',
    suites: [SUITE.keyEpoch],
  },
];
