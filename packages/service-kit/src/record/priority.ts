/** Classes of urgency, most urgent first. Work of a class goes before all work of the classes after it. */
export const PRIORITIES = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const PRIORITY_DEFAULT: Priority = 'normal';

/** The number of a class in the record, from 0. */
export const classOf = (priority: Priority): number => PRIORITIES.indexOf(priority);

/** The class with this number; numbers past the last one are the last. */
export const priorityOf = (number: number): Priority =>
  PRIORITIES[Math.min(Math.max(0, Math.trunc(number)), PRIORITIES.length - 1)] as Priority;
