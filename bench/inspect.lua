-- wrk -t2 -c8 -d10 -s bench/inspect.lua http://127.0.0.1:8080/v1/inspect
-- The same question each time; with "distinct" behind the address, another one each time.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local question =
  '{"model": "llama-3.1-70b", "context": %d, "plan": {"cp": 16, "tp": 32}}'
local distinct, turn = false, 0

function init(arguments)
  distinct = arguments[1] == "distinct"
  turn = math.random(1, 1000000)
end

function request()
  if distinct then turn = turn + 1 end
  return wrk.format(nil, nil, nil, string.format(question, distinct and 1024 + turn or 131072))
end
