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
          "outputs": ["<(PRODUCT_DIR)/llm_host.node"],
          "action": ["node", "scripts/build-native.mjs"]
        }
      ]
    }
  ]
}
