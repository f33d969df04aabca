/** Names of every span, and the line of cuzk's timing log that each stands for. */
export const SPANS = {
  accepted: 'cuzk.accepted',
  ingest: 'cuzk.ingest',
  synthesize: 'cuzk.synthesize',
  synthesizeFill: 'cuzk.synthesize.fill',
  synthesizeEncode: 'cuzk.synthesize.encode',
  synthesizeStore: 'cuzk.synthesize.store',
  prove: 'cuzk.prove',
  finalize: 'cuzk.finalize',
  /** Times between stages, written at finalize from the record. */
  wait: 'cuzk.wait',
  gpuUpload: 'cuzk.gpu.upload',
  gpuPrepMsm: 'cuzk.gpu.prep_msm',
  gpuNttMsmH: 'cuzk.gpu.ntt_msm_h',
  gpuR1csEval: 'cuzk.gpu.r1cs_eval',
  gpuNtt: 'cuzk.gpu.ntt',
  gpuMsmH: 'cuzk.gpu.msm_h',
  gpuBatchAdd: 'cuzk.gpu.batch_add',
  gpuTailMsm: 'cuzk.gpu.tail_msm',
  gpuBG2Msm: 'cuzk.gpu.b_g2_msm',
  gpuTotal: 'cuzk.gpu.total',
} as const;
