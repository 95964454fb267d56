/** Advice on a failure, from the output of the tool or the failed system call. */
export function hintFor(output) {
  if (/No module named pip/.test(output)) return 'Install pip: sudo apt-get install python3-pip';
  if (/No space left|ENOSPC|Errno 28|Disk quota/i.test(output)) {
    return 'The disk is full: free some space (about 1 GB is needed in all) and run the same command again.';
  }
  if (/CERTIFICATE_VERIFY_FAILED|SSLError/.test(output)) {
    return 'The connection is not trusted: behind a proxy with its own certificate, set $PIP_CERT to that certificate.';
  }
  if (
    /NewConnectionError|name resolution|resolve host|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|unreachable|timed out|ProxyError/i.test(
      output,
    )
  ) {
    return 'The package index cannot be reached: check the network (or set $HTTPS_PROXY) and run the same command again.';
  }
  if (/No matching distribution/i.test(output)) {
    return 'The package index in use does not have this file: check pip config list for another index.';
  }
  if (/Permission denied|EACCES/.test(output)) return 'A folder is not writable: check its owner.';
  return 'Run the same command again; nothing that was half done is used.';
}
