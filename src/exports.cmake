# The headers that each folder exports: other folders include these and no others. A folder sees what the folders before
# it in MTF_FOLDERS export, because its include path has nothing else: links to these headers in ${CMAKE_BINARY_DIR}/rooms.
# Tests see all headers. tests/lint/exports_are_used.py finds an exported header that no other folder includes.
set(MTF_EXPORTS_support available_memory.h bleu.h blocked_signals.h diagnostics.def diagnostics.h edit.h end_later.h expected_end.h
  integers.h interrupt.h library_files.h name.h overloaded.h own_names.h pause.h platform.h printable.h restore.h source.h source_line.h
  stack_budget.h text.h text_sink.h)
set(MTF_EXPORTS_line_editor line_editor.h screen.h)
set(MTF_EXPORTS_kernels attention.h block.h convolution.h copy.h element_type.h elements.h extremes.h fused_loop.h
  kernel_table.h lane_op.h lane_ops.def level.h matmul.h philox.h pooling.h rows.h runs.h scratch.h threads.h)
set(MTF_EXPORTS_io array.h csv.h element_sum.h event_file.h file.h file_kind.h idx.h io_error.h json_object.h log_file.h
  npy.h partial_file.h pattern.h piece_tokenizer.h positioned_file.h ranks.h safetensors.h text.h token_file.h
  tokenizer.h write_file.h write_target.h)
set(MTF_EXPORTS_types by_path.h cost.h dim.h key.h layout.h mesh.h placement.h saturating.h sharding.h text_reader.h)
set(MTF_EXPORTS_syntax ast.h ast_expressions.h doubts.h foreign.h format.h parse.h print.h resolver.h signature.h walk.h)
set(MTF_EXPORTS_graph attributes.h call_frame.h call_text.h gradient_call.h graph.h history_end.h iteration_space.h
  kernel_call.h layout_record.h layouts.h node_builder.h op.h operation.h program.h region.h relayout.h value_table.h)
set(MTF_EXPORTS_ops attention.h blocks.h builder.h call.h contract.h custom_gradient.h elementwise.h first_not_finite.h
  gradients.h index.h interval.h loop.h ops.def ops.h record.h reduce.h registry.h scan.h shape.h spaces.h type_rules.h
  unreached.h)
set(MTF_EXPORTS_spmd axis_permutation.h block_index.h collective_kind.h collectives.h decision.h expand.h forms.h
  instruction_costs.h iteration_split.h local_builder.h local_program.h local_text.h passes.h pipeline.h reasons.h
  reduce_program.h reduction_tree.h reshard.h statement_costs.h transfers.h work.h)
set(MTF_EXPORTS_schedule orders.h pack.h passes.h schedule.h)
set(MTF_EXPORTS_plan compilation.h compiler.h counters.h doubt.h execution.h made_cut.h passes.h peak_memory.h plan.h
  predict.h program_record.h runtime.h tensor.h)
set(MTF_EXPORTS_cost formula.h idle_work.h layout_costs.h machine.h repeated_costs.h search.h step_time.h
  symbolic_costs.h timed_costs.h)
set(MTF_EXPORTS_eval abstract.h annotations.h binding.h branches.h builtins.h callee.h calls.h
  conversions.h cuts.h declarations.h display.h doubtful.h evaluator.h findings.h gradient_flow.h host_library.h
  host_value.h limits.h loops.h meshes.h modules.h name_lookup.h open_blocks.h operations.h options.h
  possible_values.h replays.h reports.h scope.h settings.h span_table.h spare_scopes.h stored_variables.h uncalled.h
  undo.h unread.h value_type.h variables.h variables_below.h)
set(MTF_EXPORTS_library library.h)
set(MTF_EXPORTS_session combinations.h completion.h documentation.h entry.h explanation.h held.h help.h known_names.h parts_of_text.h
  plan_summary.h plan_tree.h planned.h search.h session.h session_script.h time_parts.h what_if.h)
set(MTF_EXPORTS_run dry_runtime.h hosting.h level_agreement.h mpi_runtime.h reference_runtime.h timeline.h)
set(MTF_EXPORTS_api json.h records.h)
set(MTF_EXPORTS_tool commands/help_text.h present/picture.h present/tensor_table.h prompt/repl.h prompt/repl_text.h
  shell/script.h)

# Gives `target`, a part of `folder`, the include path of its room: its own headers, and those that folders before it export.
function(mtf_enter_room target folder)
  set(rooms ${CMAKE_BINARY_DIR}/rooms)
  file(MAKE_DIRECTORY ${rooms}/own/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${folder} ${rooms}/own/${folder}/${folder} SYMBOLIC)
  target_include_directories(${target} PRIVATE ${rooms}/own/${folder} ${PROJECT_SOURCE_DIR}/src/include)
  foreach(before IN LISTS MTF_FOLDERS)
    if(before STREQUAL folder)
      return()
    endif()
    target_include_directories(${target} PRIVATE ${rooms}/exported/${before})
  endforeach()
endfunction()

file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/rooms)
foreach(folder IN LISTS MTF_FOLDERS)
  set(room ${CMAKE_BINARY_DIR}/rooms/exported/${folder}/${folder})
  file(MAKE_DIRECTORY ${room})
  foreach(header IN LISTS MTF_EXPORTS_${folder})
    get_filename_component(part ${room}/${header} DIRECTORY)
    file(MAKE_DIRECTORY ${part})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${folder}/${header} ${room}/${header} SYMBOLIC)
  endforeach()
endforeach()
