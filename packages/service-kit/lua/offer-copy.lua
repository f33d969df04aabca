-- Reserves a second attempt at a proving partition for an idle faster worker. Its job is added like any other; the
-- reservation ends by itself.
local id, k = A.proofId, A.partition
local wanted = number(id, 'run') == A.run and get(id, 'state') == 'running' and get(id, field(k, 'state')) == 'proving'
  and number(id, field(k, 'prove.attempt')) == A.attempt and not get(id, field(k, 'copy.owner'))
  and number(id, field(k, 'copy.until')) <= NOW
if not wanted then return answer({ next = {} }) end
set(id, field(k, 'copy.for'), A.worker, field(k, 'copy.until'), NOW + A.keptMs)
return answer({ next = { unit(id, 'prove', k) } })
