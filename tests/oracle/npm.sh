# npm.sh - sourced by tests in JavaScript: installs the packages that they need in a folder.
#
# They come from npm's registry: those of package-lock.json, and no others. If the registry cannot be
# reached, the test is skipped.
source "$(dirname "${BASH_SOURCE[0]}")/../support/skip.sh"

# Takes the folder to create, and the files to copy there: scripts, and package.json and
# package-lock.json.
npm_packages() {
  local folder=$1 log=$1.log
  command -v npm >/dev/null || { echo "npm is missing: install nodejs and npm"; exit 1; }
  mkdir -p "$folder"
  cp -L "${@:2}" "$folder"
  # An offline host finds out soon. With LFBLOOM_NO_SKIP=1 an outage of half a minute is
  # tolerated.
  local retries=2 longest=2000
  [[ ${LFBLOOM_NO_SKIP:-} != 1 ]] || retries=6 longest=15000
  export npm_config_cache=$folder.cache npm_config_update_notifier=false \
    npm_config_fetch_timeout=30000 npm_config_fetch_retries=$retries \
    npm_config_fetch_retry_mintimeout=500 npm_config_fetch_retry_maxtimeout=$longest
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1 && return
  cat "$log"
  if ! npm ping --fetch-timeout=20000 >>"$log" 2>&1; then
    skip "npm's registry cannot be reached; nothing was compared"
    exit 0
  fi
  exit 1
}
