-- Units that wait in a queue (or should): the reconciler adds their jobs again, which is a no-op for live ones.
local id = A.proofId
local deadline = number(id, 'deadlineAt')
return answer({ next = waiting_units(id), expired = deadline > 0 and deadline <= NOW and LIVE[get(id, 'state')] == true })
