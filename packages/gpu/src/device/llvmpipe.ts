import type { DeviceTraits } from './context.ts';

/** Mesa's rasteriser, the one software adapter that kernels were measured on. */
export const isLlvmpipe = ({ software, description }: DeviceTraits): boolean =>
  software && /llvmpipe/i.test(description);
