-- flood.lua - what wrk sends to a guard: nine of ten requests are for ids that do not exist.  The
-- products have the ids 1 to 100,000 (default: 1000), and ABSENT of ten requests (default: 9) are
-- for others, by
--
--   wrk -t1 -c64 -d10s -s flood.lua http://127.0.0.1:8080 -- 100000 ABSENT
local products, absent = 1000, 9

function init(args)
  products = tonumber(args[1]) or products
  absent = tonumber(args[2]) or absent
  math.randomseed(os.time())
end

function request()
  local id = math.random(products)
  if math.random(10) <= absent then id = id + products * math.random(1000000) end
  return wrk.format("GET", "/pms/productInfo/" .. string.format("%d", id))
end
