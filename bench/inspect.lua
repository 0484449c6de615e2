-- wrk -t2 -c8 -d10 -s bench/inspect.lua http://127.0.0.1:8080/v1/inspect [-- PARTS]
-- Another question each time. PARTS: those asked for, such as topology,shards,effects; all without.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local question =
  '{"model": "llama-3.1-70b", "context": %d, "plan": {"tp": %d, "cp": %d}%s}'
local turn, parts = 0, ""

function init(arguments)
  turn = math.random(1, 1000000)
  if arguments[1] then parts = ', "parts": ["' .. arguments[1]:gsub(",", '", "') .. '"]' end
end

function request()
  turn = turn + 1
  local tp, cp = 2 ^ (3 + turn % 3), 2 ^ (2 + turn % 5 % 3)
  return wrk.format(nil, nil, nil, string.format(question, 1024 + turn, tp, cp, parts))
end
