import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Service } from '../open-service.ts';
import { childrenOf, type ProcessMemory, readProcessMemory } from './process-memory.ts';

const NANOSECONDS = 1e9;
const DELAY_RESOLUTION_MS = 20;

/** This process and those that it started (the device's); children are added up: few, and of one kind. */
function readOwn(): ReadonlyMap<string, ProcessMemory> {
  const own = new Map<string, ProcessMemory>();
  const main = readProcessMemory(process.pid);
  if (main !== null) own.set('main', main);
  const children = childrenOf(process.pid).map(readProcessMemory);
  const living = children.filter((memory) => memory !== null);
  if (living.length > 0) {
    own.set('children', {
      residentBytes: living.reduce((sum, memory) => sum + memory.residentBytes, 0),
      proportionalBytes: living.reduce((sum, memory) => sum + (memory.proportionalBytes ?? 0), 0),
      swapBytes: living.reduce((sum, memory) => sum + memory.swapBytes, 0),
    });
  }
  return own;
}

/** Memory and event loop of this process. Where the system has no /proc, resident memory is all there is. */
export function registerProcessMetrics({ metrics }: Service): void {
  metrics.observe('cuzk_memory_resident_bytes', (observe) => {
    const own = readOwn();
    if (!own.has('main')) observe(process.memoryUsage.rss(), { process: 'main' });
    for (const [name, { residentBytes }] of own) observe(residentBytes, { process: name });
  });
  metrics.observe('cuzk_memory_proportional_bytes', (observe) => {
    for (const [name, { proportionalBytes }] of readOwn()) {
      if (proportionalBytes !== null) observe(proportionalBytes, { process: name });
    }
  });
  metrics.observe('cuzk_memory_swap_bytes', (observe) => {
    for (const [name, { swapBytes }] of readOwn()) observe(swapBytes, { process: name });
  });
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  metrics.observe('cuzk_event_loop_delay_seconds', (observe) => {
    // The monitor measures the time between two ticks of its own timer.
    observe(Math.max(0, delay.max / NANOSECONDS - DELAY_RESOLUTION_MS / 1000), {});
    delay.reset();
  });
}
