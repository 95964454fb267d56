import { LlmHostError, loadModel } from 'llm-host';

try {
  await loadModel('no/such-model', { env: { ...process.env, HF_HUB_OFFLINE: '1' } });
} catch (error) {
  if (!(error instanceof LlmHostError)) throw error;
  console.log(error.code);
  process.exitCode = error.exitCode;
}
