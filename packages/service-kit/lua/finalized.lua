-- The whole proof has been verified and stored.
local f, id = A.fence, A.fence.proofId
if get(id, 'state') == 'succeeded' and is_kept(get(id, 'result'), A.result) then return accept() end
local reason = check(f)
if reason then return refuse(reason) end
drop_owner(id, 'finalize')
keep_duration(id, 'finalize')
-- Made-up work of a load test has no result.
if given(A.result) then set(id, 'result', cjson.encode(A.result)) end
set(id, 'parameters', A.parameters)
unset(id, 'problem')
end_run(id, 'succeeded', { parameters = A.parameters })
return accept()
