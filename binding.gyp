{
  # A thin door for node-gyp: the build itself is CMake's (native/CMakeLists.txt), reached through cmake-js.
  "targets": [
    {
      "target_name": "llm_host",
      "type": "none",
      "actions": [
        {
          "action_name": "build_native",
          "inputs": ["native/CMakeLists.txt"],
          # Never made, so that the script runs each time: it knows itself what is up to date.
          "outputs": ["<(PRODUCT_DIR)/always"],
          "action": ["node", "scripts/build/native.mjs"]
        }
      ]
    }
  ]
}
