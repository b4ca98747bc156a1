import { createConsumer } from '#functions/consumer/consumer.ts';

/** Lambda entry of the consumer: drains the queue once per tick of its schedule. */
export const handler = createConsumer(process.env);
