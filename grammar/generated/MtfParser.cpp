
// Generated from MtfParser.g4 by ANTLR 4.7.2



#include "MtfParser.h"


using namespace antlrcpp;
using namespace antlr4;

MtfParser::MtfParser(TokenStream *input) : Parser(input) {
  _interpreter = new atn::ParserATNSimulator(this, _atn, _decisionToDFA, _sharedContextCache);
}

MtfParser::~MtfParser() {
  delete _interpreter;
}

std::string MtfParser::getGrammarFileName() const {
  return "MtfParser.g4";
}

const std::vector<std::string>& MtfParser::getRuleNames() const {
  return _ruleNames;
}

dfa::Vocabulary& MtfParser::getVocabulary() const {
  return _vocabulary;
}


//----------------- ProgramContext ------------------------------------------------------------------

MtfParser::ProgramContext::ProgramContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::ProgramContext::EOF() {
  return getToken(MtfParser::EOF, 0);
}

std::vector<MtfParser::StatementContext *> MtfParser::ProgramContext::statement() {
  return getRuleContexts<MtfParser::StatementContext>();
}

MtfParser::StatementContext* MtfParser::ProgramContext::statement(size_t i) {
  return getRuleContext<MtfParser::StatementContext>(i);
}


size_t MtfParser::ProgramContext::getRuleIndex() const {
  return MtfParser::RuleProgram;
}


MtfParser::ProgramContext* MtfParser::program() {
  ProgramContext *_localctx = _tracker.createInstance<ProgramContext>(_ctx, getState());
  enterRule(_localctx, 0, MtfParser::RuleProgram);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(129);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::LANGUAGE)
      | (1ULL << MtfParser::DIM)
      | (1ULL << MtfParser::MESH)
      | (1ULL << MtfParser::LAYOUT)
      | (1ULL << MtfParser::USE)
      | (1ULL << MtfParser::OPTION)
      | (1ULL << MtfParser::SETTING)
      | (1ULL << MtfParser::WITH)
      | (1ULL << MtfParser::SEED)
      | (1ULL << MtfParser::PRECISION)
      | (1ULL << MtfParser::IMPORT)
      | (1ULL << MtfParser::LET)
      | (1ULL << MtfParser::PARAM)
      | (1ULL << MtfParser::STATE)
      | (1ULL << MtfParser::MODEL)
      | (1ULL << MtfParser::FN)
      | (1ULL << MtfParser::FOR)
      | (1ULL << MtfParser::WHILE)
      | (1ULL << MtfParser::IF)
      | (1ULL << MtfParser::BREAK)
      | (1ULL << MtfParser::CONTINUE)
      | (1ULL << MtfParser::RETURN)
      | (1ULL << MtfParser::ASSERT)
      | (1ULL << MtfParser::COUNTERS)
      | (1ULL << MtfParser::NO_GRAD)
      | (1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL)
      | (1ULL << MtfParser::NOT)
      | (1ULL << MtfParser::TRUE)
      | (1ULL << MtfParser::FALSE)
      | (1ULL << MtfParser::NONE)
      | (1ULL << MtfParser::IDENT)
      | (1ULL << MtfParser::FLOAT)
      | (1ULL << MtfParser::INT)
      | (1ULL << MtfParser::LPAREN)
      | (1ULL << MtfParser::LBRACKET))) != 0) || _la == MtfParser::MINUS

    || _la == MtfParser::STRING_OPEN) {
      setState(126);
      statement();
      setState(131);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(132);
    match(MtfParser::EOF);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- StatementContext ------------------------------------------------------------------

MtfParser::StatementContext::StatementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::BodyContext* MtfParser::StatementContext::body() {
  return getRuleContext<MtfParser::BodyContext>(0);
}

tree::TerminalNode* MtfParser::StatementContext::NEWLINE() {
  return getToken(MtfParser::NEWLINE, 0);
}


size_t MtfParser::StatementContext::getRuleIndex() const {
  return MtfParser::RuleStatement;
}


MtfParser::StatementContext* MtfParser::statement() {
  StatementContext *_localctx = _tracker.createInstance<StatementContext>(_ctx, getState());
  enterRule(_localctx, 2, MtfParser::RuleStatement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(134);
    body();
    setState(135);
    match(MtfParser::NEWLINE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BodyContext ------------------------------------------------------------------

MtfParser::BodyContext::BodyContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::Language_statementContext* MtfParser::BodyContext::language_statement() {
  return getRuleContext<MtfParser::Language_statementContext>(0);
}

MtfParser::Dim_statementContext* MtfParser::BodyContext::dim_statement() {
  return getRuleContext<MtfParser::Dim_statementContext>(0);
}

MtfParser::Mesh_statementContext* MtfParser::BodyContext::mesh_statement() {
  return getRuleContext<MtfParser::Mesh_statementContext>(0);
}

MtfParser::Layout_statementContext* MtfParser::BodyContext::layout_statement() {
  return getRuleContext<MtfParser::Layout_statementContext>(0);
}

MtfParser::Use_statementContext* MtfParser::BodyContext::use_statement() {
  return getRuleContext<MtfParser::Use_statementContext>(0);
}

MtfParser::Option_statementContext* MtfParser::BodyContext::option_statement() {
  return getRuleContext<MtfParser::Option_statementContext>(0);
}

MtfParser::Setting_statementContext* MtfParser::BodyContext::setting_statement() {
  return getRuleContext<MtfParser::Setting_statementContext>(0);
}

MtfParser::With_statementContext* MtfParser::BodyContext::with_statement() {
  return getRuleContext<MtfParser::With_statementContext>(0);
}

MtfParser::Seed_statementContext* MtfParser::BodyContext::seed_statement() {
  return getRuleContext<MtfParser::Seed_statementContext>(0);
}

MtfParser::Precision_statementContext* MtfParser::BodyContext::precision_statement() {
  return getRuleContext<MtfParser::Precision_statementContext>(0);
}

MtfParser::Import_statementContext* MtfParser::BodyContext::import_statement() {
  return getRuleContext<MtfParser::Import_statementContext>(0);
}

MtfParser::Let_statementContext* MtfParser::BodyContext::let_statement() {
  return getRuleContext<MtfParser::Let_statementContext>(0);
}

MtfParser::Param_statementContext* MtfParser::BodyContext::param_statement() {
  return getRuleContext<MtfParser::Param_statementContext>(0);
}

MtfParser::Fn_statementContext* MtfParser::BodyContext::fn_statement() {
  return getRuleContext<MtfParser::Fn_statementContext>(0);
}

MtfParser::Model_statementContext* MtfParser::BodyContext::model_statement() {
  return getRuleContext<MtfParser::Model_statementContext>(0);
}

MtfParser::For_statementContext* MtfParser::BodyContext::for_statement() {
  return getRuleContext<MtfParser::For_statementContext>(0);
}

MtfParser::While_statementContext* MtfParser::BodyContext::while_statement() {
  return getRuleContext<MtfParser::While_statementContext>(0);
}

MtfParser::Break_statementContext* MtfParser::BodyContext::break_statement() {
  return getRuleContext<MtfParser::Break_statementContext>(0);
}

MtfParser::Continue_statementContext* MtfParser::BodyContext::continue_statement() {
  return getRuleContext<MtfParser::Continue_statementContext>(0);
}

MtfParser::Return_statementContext* MtfParser::BodyContext::return_statement() {
  return getRuleContext<MtfParser::Return_statementContext>(0);
}

MtfParser::Assert_statementContext* MtfParser::BodyContext::assert_statement() {
  return getRuleContext<MtfParser::Assert_statementContext>(0);
}

MtfParser::No_grad_statementContext* MtfParser::BodyContext::no_grad_statement() {
  return getRuleContext<MtfParser::No_grad_statementContext>(0);
}

MtfParser::Expr_statementContext* MtfParser::BodyContext::expr_statement() {
  return getRuleContext<MtfParser::Expr_statementContext>(0);
}


size_t MtfParser::BodyContext::getRuleIndex() const {
  return MtfParser::RuleBody;
}


MtfParser::BodyContext* MtfParser::body() {
  BodyContext *_localctx = _tracker.createInstance<BodyContext>(_ctx, getState());
  enterRule(_localctx, 4, MtfParser::RuleBody);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(160);
    _errHandler->sync(this);
    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 1, _ctx)) {
    case 1: {
      enterOuterAlt(_localctx, 1);
      setState(137);
      language_statement();
      break;
    }

    case 2: {
      enterOuterAlt(_localctx, 2);
      setState(138);
      dim_statement();
      break;
    }

    case 3: {
      enterOuterAlt(_localctx, 3);
      setState(139);
      mesh_statement();
      break;
    }

    case 4: {
      enterOuterAlt(_localctx, 4);
      setState(140);
      layout_statement();
      break;
    }

    case 5: {
      enterOuterAlt(_localctx, 5);
      setState(141);
      use_statement();
      break;
    }

    case 6: {
      enterOuterAlt(_localctx, 6);
      setState(142);
      option_statement();
      break;
    }

    case 7: {
      enterOuterAlt(_localctx, 7);
      setState(143);
      setting_statement();
      break;
    }

    case 8: {
      enterOuterAlt(_localctx, 8);
      setState(144);
      with_statement();
      break;
    }

    case 9: {
      enterOuterAlt(_localctx, 9);
      setState(145);
      seed_statement();
      break;
    }

    case 10: {
      enterOuterAlt(_localctx, 10);
      setState(146);
      precision_statement();
      break;
    }

    case 11: {
      enterOuterAlt(_localctx, 11);
      setState(147);
      import_statement();
      break;
    }

    case 12: {
      enterOuterAlt(_localctx, 12);
      setState(148);
      let_statement();
      break;
    }

    case 13: {
      enterOuterAlt(_localctx, 13);
      setState(149);
      param_statement();
      break;
    }

    case 14: {
      enterOuterAlt(_localctx, 14);
      setState(150);
      fn_statement();
      break;
    }

    case 15: {
      enterOuterAlt(_localctx, 15);
      setState(151);
      model_statement();
      break;
    }

    case 16: {
      enterOuterAlt(_localctx, 16);
      setState(152);
      for_statement();
      break;
    }

    case 17: {
      enterOuterAlt(_localctx, 17);
      setState(153);
      while_statement();
      break;
    }

    case 18: {
      enterOuterAlt(_localctx, 18);
      setState(154);
      break_statement();
      break;
    }

    case 19: {
      enterOuterAlt(_localctx, 19);
      setState(155);
      continue_statement();
      break;
    }

    case 20: {
      enterOuterAlt(_localctx, 20);
      setState(156);
      return_statement();
      break;
    }

    case 21: {
      enterOuterAlt(_localctx, 21);
      setState(157);
      assert_statement();
      break;
    }

    case 22: {
      enterOuterAlt(_localctx, 22);
      setState(158);
      no_grad_statement();
      break;
    }

    case 23: {
      enterOuterAlt(_localctx, 23);
      setState(159);
      expr_statement();
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- BlockContext ------------------------------------------------------------------

MtfParser::BlockContext::BlockContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::BlockContext::LBRACE() {
  return getToken(MtfParser::LBRACE, 0);
}

tree::TerminalNode* MtfParser::BlockContext::RBRACE() {
  return getToken(MtfParser::RBRACE, 0);
}

std::vector<MtfParser::StatementContext *> MtfParser::BlockContext::statement() {
  return getRuleContexts<MtfParser::StatementContext>();
}

MtfParser::StatementContext* MtfParser::BlockContext::statement(size_t i) {
  return getRuleContext<MtfParser::StatementContext>(i);
}


size_t MtfParser::BlockContext::getRuleIndex() const {
  return MtfParser::RuleBlock;
}


MtfParser::BlockContext* MtfParser::block() {
  BlockContext *_localctx = _tracker.createInstance<BlockContext>(_ctx, getState());
  enterRule(_localctx, 6, MtfParser::RuleBlock);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(162);
    match(MtfParser::LBRACE);
    setState(166);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::LANGUAGE)
      | (1ULL << MtfParser::DIM)
      | (1ULL << MtfParser::MESH)
      | (1ULL << MtfParser::LAYOUT)
      | (1ULL << MtfParser::USE)
      | (1ULL << MtfParser::OPTION)
      | (1ULL << MtfParser::SETTING)
      | (1ULL << MtfParser::WITH)
      | (1ULL << MtfParser::SEED)
      | (1ULL << MtfParser::PRECISION)
      | (1ULL << MtfParser::IMPORT)
      | (1ULL << MtfParser::LET)
      | (1ULL << MtfParser::PARAM)
      | (1ULL << MtfParser::STATE)
      | (1ULL << MtfParser::MODEL)
      | (1ULL << MtfParser::FN)
      | (1ULL << MtfParser::FOR)
      | (1ULL << MtfParser::WHILE)
      | (1ULL << MtfParser::IF)
      | (1ULL << MtfParser::BREAK)
      | (1ULL << MtfParser::CONTINUE)
      | (1ULL << MtfParser::RETURN)
      | (1ULL << MtfParser::ASSERT)
      | (1ULL << MtfParser::COUNTERS)
      | (1ULL << MtfParser::NO_GRAD)
      | (1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL)
      | (1ULL << MtfParser::NOT)
      | (1ULL << MtfParser::TRUE)
      | (1ULL << MtfParser::FALSE)
      | (1ULL << MtfParser::NONE)
      | (1ULL << MtfParser::IDENT)
      | (1ULL << MtfParser::FLOAT)
      | (1ULL << MtfParser::INT)
      | (1ULL << MtfParser::LPAREN)
      | (1ULL << MtfParser::LBRACKET))) != 0) || _la == MtfParser::MINUS

    || _la == MtfParser::STRING_OPEN) {
      setState(163);
      statement();
      setState(168);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(169);
    match(MtfParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Language_statementContext ------------------------------------------------------------------

MtfParser::Language_statementContext::Language_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Language_statementContext::LANGUAGE() {
  return getToken(MtfParser::LANGUAGE, 0);
}

tree::TerminalNode* MtfParser::Language_statementContext::INT() {
  return getToken(MtfParser::INT, 0);
}


size_t MtfParser::Language_statementContext::getRuleIndex() const {
  return MtfParser::RuleLanguage_statement;
}


MtfParser::Language_statementContext* MtfParser::language_statement() {
  Language_statementContext *_localctx = _tracker.createInstance<Language_statementContext>(_ctx, getState());
  enterRule(_localctx, 8, MtfParser::RuleLanguage_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(171);
    match(MtfParser::LANGUAGE);
    setState(172);
    match(MtfParser::INT);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Dim_statementContext ------------------------------------------------------------------

MtfParser::Dim_statementContext::Dim_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Dim_statementContext::DIM() {
  return getToken(MtfParser::DIM, 0);
}

std::vector<MtfParser::Dim_itemContext *> MtfParser::Dim_statementContext::dim_item() {
  return getRuleContexts<MtfParser::Dim_itemContext>();
}

MtfParser::Dim_itemContext* MtfParser::Dim_statementContext::dim_item(size_t i) {
  return getRuleContext<MtfParser::Dim_itemContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Dim_statementContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Dim_statementContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Dim_statementContext::getRuleIndex() const {
  return MtfParser::RuleDim_statement;
}


MtfParser::Dim_statementContext* MtfParser::dim_statement() {
  Dim_statementContext *_localctx = _tracker.createInstance<Dim_statementContext>(_ctx, getState());
  enterRule(_localctx, 10, MtfParser::RuleDim_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(174);
    match(MtfParser::DIM);
    setState(175);
    dim_item();
    setState(180);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::COMMA) {
      setState(176);
      match(MtfParser::COMMA);
      setState(177);
      dim_item();
      setState(182);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Dim_itemContext ------------------------------------------------------------------

MtfParser::Dim_itemContext::Dim_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Dim_itemContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Dim_itemContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Dim_itemContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Dim_itemContext::getRuleIndex() const {
  return MtfParser::RuleDim_item;
}


MtfParser::Dim_itemContext* MtfParser::dim_item() {
  Dim_itemContext *_localctx = _tracker.createInstance<Dim_itemContext>(_ctx, getState());
  enterRule(_localctx, 12, MtfParser::RuleDim_item);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(183);
    match(MtfParser::IDENT);
    setState(184);
    match(MtfParser::ASSIGN);
    setState(185);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Mesh_statementContext ------------------------------------------------------------------

MtfParser::Mesh_statementContext::Mesh_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Mesh_statementContext::MESH() {
  return getToken(MtfParser::MESH, 0);
}

tree::TerminalNode* MtfParser::Mesh_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Mesh_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::Mesh_literalContext* MtfParser::Mesh_statementContext::mesh_literal() {
  return getRuleContext<MtfParser::Mesh_literalContext>(0);
}


size_t MtfParser::Mesh_statementContext::getRuleIndex() const {
  return MtfParser::RuleMesh_statement;
}


MtfParser::Mesh_statementContext* MtfParser::mesh_statement() {
  Mesh_statementContext *_localctx = _tracker.createInstance<Mesh_statementContext>(_ctx, getState());
  enterRule(_localctx, 14, MtfParser::RuleMesh_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(187);
    match(MtfParser::MESH);
    setState(188);
    match(MtfParser::IDENT);
    setState(189);
    match(MtfParser::ASSIGN);
    setState(190);
    mesh_literal();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Mesh_literalContext ------------------------------------------------------------------

MtfParser::Mesh_literalContext::Mesh_literalContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Mesh_literalContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

tree::TerminalNode* MtfParser::Mesh_literalContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}

std::vector<MtfParser::Mesh_axisContext *> MtfParser::Mesh_literalContext::mesh_axis() {
  return getRuleContexts<MtfParser::Mesh_axisContext>();
}

MtfParser::Mesh_axisContext* MtfParser::Mesh_literalContext::mesh_axis(size_t i) {
  return getRuleContext<MtfParser::Mesh_axisContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Mesh_literalContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Mesh_literalContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Mesh_literalContext::getRuleIndex() const {
  return MtfParser::RuleMesh_literal;
}


MtfParser::Mesh_literalContext* MtfParser::mesh_literal() {
  Mesh_literalContext *_localctx = _tracker.createInstance<Mesh_literalContext>(_ctx, getState());
  enterRule(_localctx, 16, MtfParser::RuleMesh_literal);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(192);
    match(MtfParser::LBRACKET);
    setState(204);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::DIM)
      | (1ULL << MtfParser::MESH)
      | (1ULL << MtfParser::LAYOUT)
      | (1ULL << MtfParser::USE)
      | (1ULL << MtfParser::OPTION)
      | (1ULL << MtfParser::SETTING)
      | (1ULL << MtfParser::WITH)
      | (1ULL << MtfParser::SEED)
      | (1ULL << MtfParser::PRECISION)
      | (1ULL << MtfParser::IMPORT)
      | (1ULL << MtfParser::LET)
      | (1ULL << MtfParser::PARAM)
      | (1ULL << MtfParser::STATE)
      | (1ULL << MtfParser::MODEL)
      | (1ULL << MtfParser::FN)
      | (1ULL << MtfParser::FOR)
      | (1ULL << MtfParser::WHILE)
      | (1ULL << MtfParser::IF)
      | (1ULL << MtfParser::ELSE)
      | (1ULL << MtfParser::BREAK)
      | (1ULL << MtfParser::CONTINUE)
      | (1ULL << MtfParser::RETURN)
      | (1ULL << MtfParser::ASSERT)
      | (1ULL << MtfParser::COUNTERS)
      | (1ULL << MtfParser::NO_GRAD)
      | (1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL)
      | (1ULL << MtfParser::AS)
      | (1ULL << MtfParser::IN)
      | (1ULL << MtfParser::AND)
      | (1ULL << MtfParser::OR)
      | (1ULL << MtfParser::NOT)
      | (1ULL << MtfParser::TRUE)
      | (1ULL << MtfParser::FALSE)
      | (1ULL << MtfParser::NONE)
      | (1ULL << MtfParser::IDENT))) != 0)) {
      setState(193);
      mesh_axis();
      setState(198);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 4, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(194);
          match(MtfParser::COMMA);
          setState(195);
          mesh_axis(); 
        }
        setState(200);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 4, _ctx);
      }
      setState(202);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MtfParser::COMMA) {
        setState(201);
        match(MtfParser::COMMA);
      }
    }
    setState(206);
    match(MtfParser::RBRACKET);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Mesh_axisContext ------------------------------------------------------------------

MtfParser::Mesh_axisContext::Mesh_axisContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::Any_wordContext* MtfParser::Mesh_axisContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}

tree::TerminalNode* MtfParser::Mesh_axisContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

MtfParser::ExprContext* MtfParser::Mesh_axisContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Mesh_axisContext::getRuleIndex() const {
  return MtfParser::RuleMesh_axis;
}


MtfParser::Mesh_axisContext* MtfParser::mesh_axis() {
  Mesh_axisContext *_localctx = _tracker.createInstance<Mesh_axisContext>(_ctx, getState());
  enterRule(_localctx, 18, MtfParser::RuleMesh_axis);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(208);
    any_word();
    setState(209);
    match(MtfParser::COLON);
    setState(210);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Layout_statementContext ------------------------------------------------------------------

MtfParser::Layout_statementContext::Layout_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Layout_statementContext::LAYOUT() {
  return getToken(MtfParser::LAYOUT, 0);
}

tree::TerminalNode* MtfParser::Layout_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Layout_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::Layout_literalContext* MtfParser::Layout_statementContext::layout_literal() {
  return getRuleContext<MtfParser::Layout_literalContext>(0);
}


size_t MtfParser::Layout_statementContext::getRuleIndex() const {
  return MtfParser::RuleLayout_statement;
}


MtfParser::Layout_statementContext* MtfParser::layout_statement() {
  Layout_statementContext *_localctx = _tracker.createInstance<Layout_statementContext>(_ctx, getState());
  enterRule(_localctx, 20, MtfParser::RuleLayout_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(212);
    match(MtfParser::LAYOUT);
    setState(213);
    match(MtfParser::IDENT);
    setState(214);
    match(MtfParser::ASSIGN);
    setState(215);
    layout_literal();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Use_statementContext ------------------------------------------------------------------

MtfParser::Use_statementContext::Use_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Use_statementContext::USE() {
  return getToken(MtfParser::USE, 0);
}

MtfParser::PathContext* MtfParser::Use_statementContext::path() {
  return getRuleContext<MtfParser::PathContext>(0);
}

MtfParser::Layout_literalContext* MtfParser::Use_statementContext::layout_literal() {
  return getRuleContext<MtfParser::Layout_literalContext>(0);
}

MtfParser::Mesh_literalContext* MtfParser::Use_statementContext::mesh_literal() {
  return getRuleContext<MtfParser::Mesh_literalContext>(0);
}


size_t MtfParser::Use_statementContext::getRuleIndex() const {
  return MtfParser::RuleUse_statement;
}


MtfParser::Use_statementContext* MtfParser::use_statement() {
  Use_statementContext *_localctx = _tracker.createInstance<Use_statementContext>(_ctx, getState());
  enterRule(_localctx, 22, MtfParser::RuleUse_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(217);
    match(MtfParser::USE);
    setState(221);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IDENT: {
        setState(218);
        path();
        break;
      }

      case MtfParser::LBRACE: {
        setState(219);
        layout_literal();
        break;
      }

      case MtfParser::LBRACKET: {
        setState(220);
        mesh_literal();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Option_statementContext ------------------------------------------------------------------

MtfParser::Option_statementContext::Option_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Option_statementContext::OPTION() {
  return getToken(MtfParser::OPTION, 0);
}

tree::TerminalNode* MtfParser::Option_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Option_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Option_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Option_statementContext::getRuleIndex() const {
  return MtfParser::RuleOption_statement;
}


MtfParser::Option_statementContext* MtfParser::option_statement() {
  Option_statementContext *_localctx = _tracker.createInstance<Option_statementContext>(_ctx, getState());
  enterRule(_localctx, 24, MtfParser::RuleOption_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(223);
    match(MtfParser::OPTION);
    setState(224);
    match(MtfParser::IDENT);
    setState(225);
    match(MtfParser::ASSIGN);
    setState(226);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Setting_statementContext ------------------------------------------------------------------

MtfParser::Setting_statementContext::Setting_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Setting_statementContext::SETTING() {
  return getToken(MtfParser::SETTING, 0);
}

tree::TerminalNode* MtfParser::Setting_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Setting_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Setting_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Setting_statementContext::getRuleIndex() const {
  return MtfParser::RuleSetting_statement;
}


MtfParser::Setting_statementContext* MtfParser::setting_statement() {
  Setting_statementContext *_localctx = _tracker.createInstance<Setting_statementContext>(_ctx, getState());
  enterRule(_localctx, 26, MtfParser::RuleSetting_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(228);
    match(MtfParser::SETTING);
    setState(229);
    match(MtfParser::IDENT);
    setState(230);
    match(MtfParser::ASSIGN);
    setState(231);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- With_statementContext ------------------------------------------------------------------

MtfParser::With_statementContext::With_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::With_statementContext::WITH() {
  return getToken(MtfParser::WITH, 0);
}

MtfParser::With_itemContext* MtfParser::With_statementContext::with_item() {
  return getRuleContext<MtfParser::With_itemContext>(0);
}

MtfParser::BlockContext* MtfParser::With_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}


size_t MtfParser::With_statementContext::getRuleIndex() const {
  return MtfParser::RuleWith_statement;
}


MtfParser::With_statementContext* MtfParser::with_statement() {
  With_statementContext *_localctx = _tracker.createInstance<With_statementContext>(_ctx, getState());
  enterRule(_localctx, 28, MtfParser::RuleWith_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(233);
    match(MtfParser::WITH);
    setState(234);
    with_item();
    setState(235);
    block();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- With_itemContext ------------------------------------------------------------------

MtfParser::With_itemContext::With_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::With_itemContext::LAYOUT() {
  return getToken(MtfParser::LAYOUT, 0);
}

MtfParser::PathContext* MtfParser::With_itemContext::path() {
  return getRuleContext<MtfParser::PathContext>(0);
}

MtfParser::Layout_literalContext* MtfParser::With_itemContext::layout_literal() {
  return getRuleContext<MtfParser::Layout_literalContext>(0);
}

tree::TerminalNode* MtfParser::With_itemContext::MESH() {
  return getToken(MtfParser::MESH, 0);
}

MtfParser::Mesh_literalContext* MtfParser::With_itemContext::mesh_literal() {
  return getRuleContext<MtfParser::Mesh_literalContext>(0);
}

tree::TerminalNode* MtfParser::With_itemContext::PRECISION() {
  return getToken(MtfParser::PRECISION, 0);
}

MtfParser::Precision_wordContext* MtfParser::With_itemContext::precision_word() {
  return getRuleContext<MtfParser::Precision_wordContext>(0);
}

tree::TerminalNode* MtfParser::With_itemContext::SEED() {
  return getToken(MtfParser::SEED, 0);
}

MtfParser::ExprContext* MtfParser::With_itemContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::With_itemContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}


size_t MtfParser::With_itemContext::getRuleIndex() const {
  return MtfParser::RuleWith_item;
}


MtfParser::With_itemContext* MtfParser::with_item() {
  With_itemContext *_localctx = _tracker.createInstance<With_itemContext>(_ctx, getState());
  enterRule(_localctx, 30, MtfParser::RuleWith_item);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(255);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::LAYOUT: {
        enterOuterAlt(_localctx, 1);
        setState(237);
        match(MtfParser::LAYOUT);
        setState(240);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case MtfParser::IDENT: {
            setState(238);
            path();
            break;
          }

          case MtfParser::LBRACE: {
            setState(239);
            layout_literal();
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case MtfParser::MESH: {
        enterOuterAlt(_localctx, 2);
        setState(242);
        match(MtfParser::MESH);
        setState(245);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case MtfParser::IDENT: {
            setState(243);
            path();
            break;
          }

          case MtfParser::LBRACKET: {
            setState(244);
            mesh_literal();
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

      case MtfParser::PRECISION: {
        enterOuterAlt(_localctx, 3);
        setState(247);
        match(MtfParser::PRECISION);
        setState(248);
        precision_word();
        break;
      }

      case MtfParser::SEED: {
        enterOuterAlt(_localctx, 4);
        setState(249);
        match(MtfParser::SEED);
        setState(250);
        expr(0);
        break;
      }

      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 5);
        setState(251);
        path();
        setState(252);
        match(MtfParser::ASSIGN);
        setState(253);
        expr(0);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Seed_statementContext ------------------------------------------------------------------

MtfParser::Seed_statementContext::Seed_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Seed_statementContext::SEED() {
  return getToken(MtfParser::SEED, 0);
}

MtfParser::ExprContext* MtfParser::Seed_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Seed_statementContext::getRuleIndex() const {
  return MtfParser::RuleSeed_statement;
}


MtfParser::Seed_statementContext* MtfParser::seed_statement() {
  Seed_statementContext *_localctx = _tracker.createInstance<Seed_statementContext>(_ctx, getState());
  enterRule(_localctx, 32, MtfParser::RuleSeed_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(257);
    match(MtfParser::SEED);
    setState(258);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Precision_statementContext ------------------------------------------------------------------

MtfParser::Precision_statementContext::Precision_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Precision_statementContext::PRECISION() {
  return getToken(MtfParser::PRECISION, 0);
}

MtfParser::Precision_wordContext* MtfParser::Precision_statementContext::precision_word() {
  return getRuleContext<MtfParser::Precision_wordContext>(0);
}


size_t MtfParser::Precision_statementContext::getRuleIndex() const {
  return MtfParser::RulePrecision_statement;
}


MtfParser::Precision_statementContext* MtfParser::precision_statement() {
  Precision_statementContext *_localctx = _tracker.createInstance<Precision_statementContext>(_ctx, getState());
  enterRule(_localctx, 34, MtfParser::RulePrecision_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(260);
    match(MtfParser::PRECISION);
    setState(261);
    precision_word();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Import_statementContext ------------------------------------------------------------------

MtfParser::Import_statementContext::Import_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Import_statementContext::IMPORT() {
  return getToken(MtfParser::IMPORT, 0);
}

std::vector<MtfParser::Import_itemContext *> MtfParser::Import_statementContext::import_item() {
  return getRuleContexts<MtfParser::Import_itemContext>();
}

MtfParser::Import_itemContext* MtfParser::Import_statementContext::import_item(size_t i) {
  return getRuleContext<MtfParser::Import_itemContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Import_statementContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Import_statementContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Import_statementContext::getRuleIndex() const {
  return MtfParser::RuleImport_statement;
}


MtfParser::Import_statementContext* MtfParser::import_statement() {
  Import_statementContext *_localctx = _tracker.createInstance<Import_statementContext>(_ctx, getState());
  enterRule(_localctx, 36, MtfParser::RuleImport_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(263);
    match(MtfParser::IMPORT);
    setState(264);
    import_item();
    setState(269);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::COMMA) {
      setState(265);
      match(MtfParser::COMMA);
      setState(266);
      import_item();
      setState(271);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Import_itemContext ------------------------------------------------------------------

MtfParser::Import_itemContext::Import_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<tree::TerminalNode *> MtfParser::Import_itemContext::IDENT() {
  return getTokens(MtfParser::IDENT);
}

tree::TerminalNode* MtfParser::Import_itemContext::IDENT(size_t i) {
  return getToken(MtfParser::IDENT, i);
}

MtfParser::StringContext* MtfParser::Import_itemContext::string() {
  return getRuleContext<MtfParser::StringContext>(0);
}

tree::TerminalNode* MtfParser::Import_itemContext::AS() {
  return getToken(MtfParser::AS, 0);
}


size_t MtfParser::Import_itemContext::getRuleIndex() const {
  return MtfParser::RuleImport_item;
}


MtfParser::Import_itemContext* MtfParser::import_item() {
  Import_itemContext *_localctx = _tracker.createInstance<Import_itemContext>(_ctx, getState());
  enterRule(_localctx, 38, MtfParser::RuleImport_item);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(274);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IDENT: {
        setState(272);
        match(MtfParser::IDENT);
        break;
      }

      case MtfParser::STRING_OPEN: {
        setState(273);
        string();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
    setState(278);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::AS) {
      setState(276);
      match(MtfParser::AS);
      setState(277);
      match(MtfParser::IDENT);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Let_statementContext ------------------------------------------------------------------

MtfParser::Let_statementContext::Let_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Let_statementContext::LET() {
  return getToken(MtfParser::LET, 0);
}

MtfParser::PatternsContext* MtfParser::Let_statementContext::patterns() {
  return getRuleContext<MtfParser::PatternsContext>(0);
}

tree::TerminalNode* MtfParser::Let_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Let_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Let_statementContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

MtfParser::AnnotationContext* MtfParser::Let_statementContext::annotation() {
  return getRuleContext<MtfParser::AnnotationContext>(0);
}


size_t MtfParser::Let_statementContext::getRuleIndex() const {
  return MtfParser::RuleLet_statement;
}


MtfParser::Let_statementContext* MtfParser::let_statement() {
  Let_statementContext *_localctx = _tracker.createInstance<Let_statementContext>(_ctx, getState());
  enterRule(_localctx, 40, MtfParser::RuleLet_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(280);
    match(MtfParser::LET);
    setState(281);
    patterns();
    setState(284);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COLON) {
      setState(282);
      match(MtfParser::COLON);
      setState(283);
      annotation();
    }
    setState(286);
    match(MtfParser::ASSIGN);
    setState(287);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Param_statementContext ------------------------------------------------------------------

MtfParser::Param_statementContext::Param_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Param_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Param_statementContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

MtfParser::Stored_typeContext* MtfParser::Param_statementContext::stored_type() {
  return getRuleContext<MtfParser::Stored_typeContext>(0);
}

tree::TerminalNode* MtfParser::Param_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Param_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Param_statementContext::PARAM() {
  return getToken(MtfParser::PARAM, 0);
}

tree::TerminalNode* MtfParser::Param_statementContext::STATE() {
  return getToken(MtfParser::STATE, 0);
}

tree::TerminalNode* MtfParser::Param_statementContext::AT() {
  return getToken(MtfParser::AT, 0);
}

MtfParser::Layout_refContext* MtfParser::Param_statementContext::layout_ref() {
  return getRuleContext<MtfParser::Layout_refContext>(0);
}


size_t MtfParser::Param_statementContext::getRuleIndex() const {
  return MtfParser::RuleParam_statement;
}


MtfParser::Param_statementContext* MtfParser::param_statement() {
  Param_statementContext *_localctx = _tracker.createInstance<Param_statementContext>(_ctx, getState());
  enterRule(_localctx, 42, MtfParser::RuleParam_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(289);
    _la = _input->LA(1);
    if (!(_la == MtfParser::PARAM

    || _la == MtfParser::STATE)) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
    setState(290);
    match(MtfParser::IDENT);
    setState(291);
    match(MtfParser::COLON);
    setState(292);
    stored_type();
    setState(295);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::AT) {
      setState(293);
      match(MtfParser::AT);
      setState(294);
      layout_ref();
    }
    setState(297);
    match(MtfParser::ASSIGN);
    setState(298);
    expr(0);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Fn_statementContext ------------------------------------------------------------------

MtfParser::Fn_statementContext::Fn_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Fn_statementContext::FN() {
  return getToken(MtfParser::FN, 0);
}

tree::TerminalNode* MtfParser::Fn_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Fn_statementContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

tree::TerminalNode* MtfParser::Fn_statementContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

MtfParser::BlockContext* MtfParser::Fn_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}

tree::TerminalNode* MtfParser::Fn_statementContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Fn_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

MtfParser::ParametersContext* MtfParser::Fn_statementContext::parameters() {
  return getRuleContext<MtfParser::ParametersContext>(0);
}

tree::TerminalNode* MtfParser::Fn_statementContext::ARROW() {
  return getToken(MtfParser::ARROW, 0);
}

MtfParser::AnnotationContext* MtfParser::Fn_statementContext::annotation() {
  return getRuleContext<MtfParser::AnnotationContext>(0);
}


size_t MtfParser::Fn_statementContext::getRuleIndex() const {
  return MtfParser::RuleFn_statement;
}


MtfParser::Fn_statementContext* MtfParser::fn_statement() {
  Fn_statementContext *_localctx = _tracker.createInstance<Fn_statementContext>(_ctx, getState());
  enterRule(_localctx, 44, MtfParser::RuleFn_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(300);
    match(MtfParser::FN);
    setState(301);
    match(MtfParser::IDENT);
    setState(302);
    match(MtfParser::LPAREN);
    setState(304);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::IDENT) {
      setState(303);
      parameters();
    }
    setState(306);
    match(MtfParser::RPAREN);
    setState(309);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::ARROW) {
      setState(307);
      match(MtfParser::ARROW);
      setState(308);
      annotation();
    }
    setState(314);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::LBRACE: {
        setState(311);
        block();
        break;
      }

      case MtfParser::ASSIGN: {
        setState(312);
        match(MtfParser::ASSIGN);
        setState(313);
        expr(0);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Model_statementContext ------------------------------------------------------------------

MtfParser::Model_statementContext::Model_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Model_statementContext::MODEL() {
  return getToken(MtfParser::MODEL, 0);
}

tree::TerminalNode* MtfParser::Model_statementContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

MtfParser::BlockContext* MtfParser::Model_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}

tree::TerminalNode* MtfParser::Model_statementContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

tree::TerminalNode* MtfParser::Model_statementContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

MtfParser::ParametersContext* MtfParser::Model_statementContext::parameters() {
  return getRuleContext<MtfParser::ParametersContext>(0);
}


size_t MtfParser::Model_statementContext::getRuleIndex() const {
  return MtfParser::RuleModel_statement;
}


MtfParser::Model_statementContext* MtfParser::model_statement() {
  Model_statementContext *_localctx = _tracker.createInstance<Model_statementContext>(_ctx, getState());
  enterRule(_localctx, 46, MtfParser::RuleModel_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(316);
    match(MtfParser::MODEL);
    setState(317);
    match(MtfParser::IDENT);
    setState(323);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::LPAREN) {
      setState(318);
      match(MtfParser::LPAREN);
      setState(320);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MtfParser::IDENT) {
        setState(319);
        parameters();
      }
      setState(322);
      match(MtfParser::RPAREN);
    }
    setState(325);
    block();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- For_statementContext ------------------------------------------------------------------

MtfParser::For_statementContext::For_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::For_statementContext::FOR() {
  return getToken(MtfParser::FOR, 0);
}

MtfParser::PatternsContext* MtfParser::For_statementContext::patterns() {
  return getRuleContext<MtfParser::PatternsContext>(0);
}

tree::TerminalNode* MtfParser::For_statementContext::IN() {
  return getToken(MtfParser::IN, 0);
}

MtfParser::ExprContext* MtfParser::For_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

MtfParser::BlockContext* MtfParser::For_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}


size_t MtfParser::For_statementContext::getRuleIndex() const {
  return MtfParser::RuleFor_statement;
}


MtfParser::For_statementContext* MtfParser::for_statement() {
  For_statementContext *_localctx = _tracker.createInstance<For_statementContext>(_ctx, getState());
  enterRule(_localctx, 48, MtfParser::RuleFor_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(327);
    match(MtfParser::FOR);
    setState(328);
    patterns();
    setState(329);
    match(MtfParser::IN);
    setState(330);
    expr(0);
    setState(331);
    block();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- While_statementContext ------------------------------------------------------------------

MtfParser::While_statementContext::While_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::While_statementContext::WHILE() {
  return getToken(MtfParser::WHILE, 0);
}

MtfParser::ExprContext* MtfParser::While_statementContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

MtfParser::BlockContext* MtfParser::While_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}


size_t MtfParser::While_statementContext::getRuleIndex() const {
  return MtfParser::RuleWhile_statement;
}


MtfParser::While_statementContext* MtfParser::while_statement() {
  While_statementContext *_localctx = _tracker.createInstance<While_statementContext>(_ctx, getState());
  enterRule(_localctx, 50, MtfParser::RuleWhile_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(333);
    match(MtfParser::WHILE);
    setState(334);
    expr(0);
    setState(335);
    block();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Break_statementContext ------------------------------------------------------------------

MtfParser::Break_statementContext::Break_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Break_statementContext::BREAK() {
  return getToken(MtfParser::BREAK, 0);
}


size_t MtfParser::Break_statementContext::getRuleIndex() const {
  return MtfParser::RuleBreak_statement;
}


MtfParser::Break_statementContext* MtfParser::break_statement() {
  Break_statementContext *_localctx = _tracker.createInstance<Break_statementContext>(_ctx, getState());
  enterRule(_localctx, 52, MtfParser::RuleBreak_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(337);
    match(MtfParser::BREAK);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Continue_statementContext ------------------------------------------------------------------

MtfParser::Continue_statementContext::Continue_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Continue_statementContext::CONTINUE() {
  return getToken(MtfParser::CONTINUE, 0);
}


size_t MtfParser::Continue_statementContext::getRuleIndex() const {
  return MtfParser::RuleContinue_statement;
}


MtfParser::Continue_statementContext* MtfParser::continue_statement() {
  Continue_statementContext *_localctx = _tracker.createInstance<Continue_statementContext>(_ctx, getState());
  enterRule(_localctx, 54, MtfParser::RuleContinue_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(339);
    match(MtfParser::CONTINUE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Return_statementContext ------------------------------------------------------------------

MtfParser::Return_statementContext::Return_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Return_statementContext::RETURN() {
  return getToken(MtfParser::RETURN, 0);
}

std::vector<MtfParser::ExprContext *> MtfParser::Return_statementContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Return_statementContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Return_statementContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Return_statementContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Return_statementContext::getRuleIndex() const {
  return MtfParser::RuleReturn_statement;
}


MtfParser::Return_statementContext* MtfParser::return_statement() {
  Return_statementContext *_localctx = _tracker.createInstance<Return_statementContext>(_ctx, getState());
  enterRule(_localctx, 56, MtfParser::RuleReturn_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(341);
    match(MtfParser::RETURN);
    setState(350);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (((((_la - 20) & ~ 0x3fULL) == 0) &&
      ((1ULL << (_la - 20)) & ((1ULL << (MtfParser::FN - 20))
      | (1ULL << (MtfParser::IF - 20))
      | (1ULL << (MtfParser::COUNTERS - 20))
      | (1ULL << (MtfParser::F32 - 20))
      | (1ULL << (MtfParser::F64 - 20))
      | (1ULL << (MtfParser::BF16 - 20))
      | (1ULL << (MtfParser::I32 - 20))
      | (1ULL << (MtfParser::BOOL - 20))
      | (1ULL << (MtfParser::NOT - 20))
      | (1ULL << (MtfParser::TRUE - 20))
      | (1ULL << (MtfParser::FALSE - 20))
      | (1ULL << (MtfParser::NONE - 20))
      | (1ULL << (MtfParser::IDENT - 20))
      | (1ULL << (MtfParser::FLOAT - 20))
      | (1ULL << (MtfParser::INT - 20))
      | (1ULL << (MtfParser::LPAREN - 20))
      | (1ULL << (MtfParser::LBRACKET - 20))
      | (1ULL << (MtfParser::MINUS - 20))
      | (1ULL << (MtfParser::STRING_OPEN - 20)))) != 0)) {
      setState(342);
      expr(0);
      setState(347);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == MtfParser::COMMA) {
        setState(343);
        match(MtfParser::COMMA);
        setState(344);
        expr(0);
        setState(349);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Assert_statementContext ------------------------------------------------------------------

MtfParser::Assert_statementContext::Assert_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Assert_statementContext::ASSERT() {
  return getToken(MtfParser::ASSERT, 0);
}

std::vector<MtfParser::ExprContext *> MtfParser::Assert_statementContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Assert_statementContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

tree::TerminalNode* MtfParser::Assert_statementContext::COMMA() {
  return getToken(MtfParser::COMMA, 0);
}


size_t MtfParser::Assert_statementContext::getRuleIndex() const {
  return MtfParser::RuleAssert_statement;
}


MtfParser::Assert_statementContext* MtfParser::assert_statement() {
  Assert_statementContext *_localctx = _tracker.createInstance<Assert_statementContext>(_ctx, getState());
  enterRule(_localctx, 58, MtfParser::RuleAssert_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(352);
    match(MtfParser::ASSERT);
    setState(353);
    expr(0);
    setState(356);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COMMA) {
      setState(354);
      match(MtfParser::COMMA);
      setState(355);
      expr(0);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- No_grad_statementContext ------------------------------------------------------------------

MtfParser::No_grad_statementContext::No_grad_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::No_grad_statementContext::NO_GRAD() {
  return getToken(MtfParser::NO_GRAD, 0);
}

MtfParser::BlockContext* MtfParser::No_grad_statementContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}


size_t MtfParser::No_grad_statementContext::getRuleIndex() const {
  return MtfParser::RuleNo_grad_statement;
}


MtfParser::No_grad_statementContext* MtfParser::no_grad_statement() {
  No_grad_statementContext *_localctx = _tracker.createInstance<No_grad_statementContext>(_ctx, getState());
  enterRule(_localctx, 60, MtfParser::RuleNo_grad_statement);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(358);
    match(MtfParser::NO_GRAD);
    setState(359);
    block();
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Expr_statementContext ------------------------------------------------------------------

MtfParser::Expr_statementContext::Expr_statementContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::ExprContext *> MtfParser::Expr_statementContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Expr_statementContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

tree::TerminalNode* MtfParser::Expr_statementContext::DEFINE() {
  return getToken(MtfParser::DEFINE, 0);
}


size_t MtfParser::Expr_statementContext::getRuleIndex() const {
  return MtfParser::RuleExpr_statement;
}


MtfParser::Expr_statementContext* MtfParser::expr_statement() {
  Expr_statementContext *_localctx = _tracker.createInstance<Expr_statementContext>(_ctx, getState());
  enterRule(_localctx, 62, MtfParser::RuleExpr_statement);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(361);
    expr(0);
    setState(364);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::DEFINE) {
      setState(362);
      match(MtfParser::DEFINE);
      setState(363);
      expr(0);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PatternContext ------------------------------------------------------------------

MtfParser::PatternContext::PatternContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::PatternContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::PatternContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

std::vector<MtfParser::PatternContext *> MtfParser::PatternContext::pattern() {
  return getRuleContexts<MtfParser::PatternContext>();
}

MtfParser::PatternContext* MtfParser::PatternContext::pattern(size_t i) {
  return getRuleContext<MtfParser::PatternContext>(i);
}

tree::TerminalNode* MtfParser::PatternContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

std::vector<tree::TerminalNode *> MtfParser::PatternContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::PatternContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::PatternContext::getRuleIndex() const {
  return MtfParser::RulePattern;
}


MtfParser::PatternContext* MtfParser::pattern() {
  PatternContext *_localctx = _tracker.createInstance<PatternContext>(_ctx, getState());
  enterRule(_localctx, 64, MtfParser::RulePattern);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    setState(380);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 1);
        setState(366);
        match(MtfParser::IDENT);
        break;
      }

      case MtfParser::LPAREN: {
        enterOuterAlt(_localctx, 2);
        setState(367);
        match(MtfParser::LPAREN);
        setState(368);
        pattern();
        setState(371); 
        _errHandler->sync(this);
        alt = 1;
        do {
          switch (alt) {
            case 1: {
                  setState(369);
                  match(MtfParser::COMMA);
                  setState(370);
                  pattern();
                  break;
                }

          default:
            throw NoViableAltException(this);
          }
          setState(373); 
          _errHandler->sync(this);
          alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 25, _ctx);
        } while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER);
        setState(376);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MtfParser::COMMA) {
          setState(375);
          match(MtfParser::COMMA);
        }
        setState(378);
        match(MtfParser::RPAREN);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PatternsContext ------------------------------------------------------------------

MtfParser::PatternsContext::PatternsContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::PatternContext *> MtfParser::PatternsContext::pattern() {
  return getRuleContexts<MtfParser::PatternContext>();
}

MtfParser::PatternContext* MtfParser::PatternsContext::pattern(size_t i) {
  return getRuleContext<MtfParser::PatternContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::PatternsContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::PatternsContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::PatternsContext::getRuleIndex() const {
  return MtfParser::RulePatterns;
}


MtfParser::PatternsContext* MtfParser::patterns() {
  PatternsContext *_localctx = _tracker.createInstance<PatternsContext>(_ctx, getState());
  enterRule(_localctx, 66, MtfParser::RulePatterns);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(382);
    pattern();
    setState(387);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::COMMA) {
      setState(383);
      match(MtfParser::COMMA);
      setState(384);
      pattern();
      setState(389);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParametersContext ------------------------------------------------------------------

MtfParser::ParametersContext::ParametersContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::ParameterContext *> MtfParser::ParametersContext::parameter() {
  return getRuleContexts<MtfParser::ParameterContext>();
}

MtfParser::ParameterContext* MtfParser::ParametersContext::parameter(size_t i) {
  return getRuleContext<MtfParser::ParameterContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::ParametersContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::ParametersContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::ParametersContext::getRuleIndex() const {
  return MtfParser::RuleParameters;
}


MtfParser::ParametersContext* MtfParser::parameters() {
  ParametersContext *_localctx = _tracker.createInstance<ParametersContext>(_ctx, getState());
  enterRule(_localctx, 68, MtfParser::RuleParameters);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(390);
    parameter();
    setState(395);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 29, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        setState(391);
        match(MtfParser::COMMA);
        setState(392);
        parameter(); 
      }
      setState(397);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 29, _ctx);
    }
    setState(399);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COMMA) {
      setState(398);
      match(MtfParser::COMMA);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParameterContext ------------------------------------------------------------------

MtfParser::ParameterContext::ParameterContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::ParameterContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::ParameterContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

MtfParser::AnnotationContext* MtfParser::ParameterContext::annotation() {
  return getRuleContext<MtfParser::AnnotationContext>(0);
}

tree::TerminalNode* MtfParser::ParameterContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::ParameterContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::ParameterContext::getRuleIndex() const {
  return MtfParser::RuleParameter;
}


MtfParser::ParameterContext* MtfParser::parameter() {
  ParameterContext *_localctx = _tracker.createInstance<ParameterContext>(_ctx, getState());
  enterRule(_localctx, 70, MtfParser::RuleParameter);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(401);
    match(MtfParser::IDENT);
    setState(404);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COLON) {
      setState(402);
      match(MtfParser::COLON);
      setState(403);
      annotation();
    }
    setState(408);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::ASSIGN) {
      setState(406);
      match(MtfParser::ASSIGN);
      setState(407);
      expr(0);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- AnnotationContext ------------------------------------------------------------------

MtfParser::AnnotationContext::AnnotationContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::ShapeContext* MtfParser::AnnotationContext::shape() {
  return getRuleContext<MtfParser::ShapeContext>(0);
}

MtfParser::Annotation_wordContext* MtfParser::AnnotationContext::annotation_word() {
  return getRuleContext<MtfParser::Annotation_wordContext>(0);
}


size_t MtfParser::AnnotationContext::getRuleIndex() const {
  return MtfParser::RuleAnnotation;
}


MtfParser::AnnotationContext* MtfParser::annotation() {
  AnnotationContext *_localctx = _tracker.createInstance<AnnotationContext>(_ctx, getState());
  enterRule(_localctx, 72, MtfParser::RuleAnnotation);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(412);
    _errHandler->sync(this);
    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 33, _ctx)) {
    case 1: {
      enterOuterAlt(_localctx, 1);
      setState(410);
      shape();
      break;
    }

    case 2: {
      enterOuterAlt(_localctx, 2);
      setState(411);
      annotation_word();
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Annotation_wordContext ------------------------------------------------------------------

MtfParser::Annotation_wordContext::Annotation_wordContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Annotation_wordContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Annotation_wordContext::DIM() {
  return getToken(MtfParser::DIM, 0);
}

tree::TerminalNode* MtfParser::Annotation_wordContext::MODEL() {
  return getToken(MtfParser::MODEL, 0);
}

tree::TerminalNode* MtfParser::Annotation_wordContext::FN() {
  return getToken(MtfParser::FN, 0);
}

MtfParser::Element_typeContext* MtfParser::Annotation_wordContext::element_type() {
  return getRuleContext<MtfParser::Element_typeContext>(0);
}


size_t MtfParser::Annotation_wordContext::getRuleIndex() const {
  return MtfParser::RuleAnnotation_word;
}


MtfParser::Annotation_wordContext* MtfParser::annotation_word() {
  Annotation_wordContext *_localctx = _tracker.createInstance<Annotation_wordContext>(_ctx, getState());
  enterRule(_localctx, 74, MtfParser::RuleAnnotation_word);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(419);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 1);
        setState(414);
        match(MtfParser::IDENT);
        break;
      }

      case MtfParser::DIM: {
        enterOuterAlt(_localctx, 2);
        setState(415);
        match(MtfParser::DIM);
        break;
      }

      case MtfParser::MODEL: {
        enterOuterAlt(_localctx, 3);
        setState(416);
        match(MtfParser::MODEL);
        break;
      }

      case MtfParser::FN: {
        enterOuterAlt(_localctx, 4);
        setState(417);
        match(MtfParser::FN);
        break;
      }

      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL: {
        enterOuterAlt(_localctx, 5);
        setState(418);
        element_type();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ShapeContext ------------------------------------------------------------------

MtfParser::ShapeContext::ShapeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::ShapeContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

tree::TerminalNode* MtfParser::ShapeContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}

MtfParser::Element_typeContext* MtfParser::ShapeContext::element_type() {
  return getRuleContext<MtfParser::Element_typeContext>(0);
}

std::vector<MtfParser::Shape_itemContext *> MtfParser::ShapeContext::shape_item() {
  return getRuleContexts<MtfParser::Shape_itemContext>();
}

MtfParser::Shape_itemContext* MtfParser::ShapeContext::shape_item(size_t i) {
  return getRuleContext<MtfParser::Shape_itemContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::ShapeContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::ShapeContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::ShapeContext::getRuleIndex() const {
  return MtfParser::RuleShape;
}


MtfParser::ShapeContext* MtfParser::shape() {
  ShapeContext *_localctx = _tracker.createInstance<ShapeContext>(_ctx, getState());
  enterRule(_localctx, 76, MtfParser::RuleShape);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(422);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if ((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL))) != 0)) {
      setState(421);
      element_type();
    }
    setState(424);
    match(MtfParser::LBRACKET);
    setState(436);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (((((_la - 20) & ~ 0x3fULL) == 0) &&
      ((1ULL << (_la - 20)) & ((1ULL << (MtfParser::FN - 20))
      | (1ULL << (MtfParser::IF - 20))
      | (1ULL << (MtfParser::COUNTERS - 20))
      | (1ULL << (MtfParser::F32 - 20))
      | (1ULL << (MtfParser::F64 - 20))
      | (1ULL << (MtfParser::BF16 - 20))
      | (1ULL << (MtfParser::I32 - 20))
      | (1ULL << (MtfParser::BOOL - 20))
      | (1ULL << (MtfParser::NOT - 20))
      | (1ULL << (MtfParser::TRUE - 20))
      | (1ULL << (MtfParser::FALSE - 20))
      | (1ULL << (MtfParser::NONE - 20))
      | (1ULL << (MtfParser::IDENT - 20))
      | (1ULL << (MtfParser::FLOAT - 20))
      | (1ULL << (MtfParser::INT - 20))
      | (1ULL << (MtfParser::LPAREN - 20))
      | (1ULL << (MtfParser::LBRACKET - 20))
      | (1ULL << (MtfParser::MINUS - 20))
      | (1ULL << (MtfParser::DOTDOT - 20))
      | (1ULL << (MtfParser::STRING_OPEN - 20)))) != 0)) {
      setState(425);
      shape_item();
      setState(430);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 36, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(426);
          match(MtfParser::COMMA);
          setState(427);
          shape_item(); 
        }
        setState(432);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 36, _ctx);
      }
      setState(434);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MtfParser::COMMA) {
        setState(433);
        match(MtfParser::COMMA);
      }
    }
    setState(438);
    match(MtfParser::RBRACKET);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Shape_itemContext ------------------------------------------------------------------

MtfParser::Shape_itemContext::Shape_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Shape_itemContext::DOTDOT() {
  return getToken(MtfParser::DOTDOT, 0);
}

MtfParser::ExprContext* MtfParser::Shape_itemContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::Shape_itemContext::getRuleIndex() const {
  return MtfParser::RuleShape_item;
}


MtfParser::Shape_itemContext* MtfParser::shape_item() {
  Shape_itemContext *_localctx = _tracker.createInstance<Shape_itemContext>(_ctx, getState());
  enterRule(_localctx, 78, MtfParser::RuleShape_item);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(442);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::DOTDOT: {
        enterOuterAlt(_localctx, 1);
        setState(440);
        match(MtfParser::DOTDOT);
        break;
      }

      case MtfParser::FN:
      case MtfParser::IF:
      case MtfParser::COUNTERS:
      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL:
      case MtfParser::NOT:
      case MtfParser::TRUE:
      case MtfParser::FALSE:
      case MtfParser::NONE:
      case MtfParser::IDENT:
      case MtfParser::FLOAT:
      case MtfParser::INT:
      case MtfParser::LPAREN:
      case MtfParser::LBRACKET:
      case MtfParser::MINUS:
      case MtfParser::STRING_OPEN: {
        enterOuterAlt(_localctx, 2);
        setState(441);
        expr(0);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Stored_typeContext ------------------------------------------------------------------

MtfParser::Stored_typeContext::Stored_typeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::ShapeContext* MtfParser::Stored_typeContext::shape() {
  return getRuleContext<MtfParser::ShapeContext>(0);
}

tree::TerminalNode* MtfParser::Stored_typeContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

MtfParser::Path_with_indexContext* MtfParser::Stored_typeContext::path_with_index() {
  return getRuleContext<MtfParser::Path_with_indexContext>(0);
}

MtfParser::Element_typeContext* MtfParser::Stored_typeContext::element_type() {
  return getRuleContext<MtfParser::Element_typeContext>(0);
}


size_t MtfParser::Stored_typeContext::getRuleIndex() const {
  return MtfParser::RuleStored_type;
}


MtfParser::Stored_typeContext* MtfParser::stored_type() {
  Stored_typeContext *_localctx = _tracker.createInstance<Stored_typeContext>(_ctx, getState());
  enterRule(_localctx, 80, MtfParser::RuleStored_type);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(450);
    _errHandler->sync(this);
    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 41, _ctx)) {
    case 1: {
      enterOuterAlt(_localctx, 1);
      setState(444);
      shape();
      break;
    }

    case 2: {
      enterOuterAlt(_localctx, 2);
      setState(446);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if ((((_la & ~ 0x3fULL) == 0) &&
        ((1ULL << _la) & ((1ULL << MtfParser::F32)
        | (1ULL << MtfParser::F64)
        | (1ULL << MtfParser::BF16)
        | (1ULL << MtfParser::I32)
        | (1ULL << MtfParser::BOOL))) != 0)) {
        setState(445);
        element_type();
      }
      setState(448);
      match(MtfParser::IDENT);
      setState(449);
      path_with_index();
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Element_typeContext ------------------------------------------------------------------

MtfParser::Element_typeContext::Element_typeContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Element_typeContext::F32() {
  return getToken(MtfParser::F32, 0);
}

tree::TerminalNode* MtfParser::Element_typeContext::F64() {
  return getToken(MtfParser::F64, 0);
}

tree::TerminalNode* MtfParser::Element_typeContext::BF16() {
  return getToken(MtfParser::BF16, 0);
}

tree::TerminalNode* MtfParser::Element_typeContext::I32() {
  return getToken(MtfParser::I32, 0);
}

tree::TerminalNode* MtfParser::Element_typeContext::BOOL() {
  return getToken(MtfParser::BOOL, 0);
}


size_t MtfParser::Element_typeContext::getRuleIndex() const {
  return MtfParser::RuleElement_type;
}


MtfParser::Element_typeContext* MtfParser::element_type() {
  Element_typeContext *_localctx = _tracker.createInstance<Element_typeContext>(_ctx, getState());
  enterRule(_localctx, 82, MtfParser::RuleElement_type);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(452);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Layout_refContext ------------------------------------------------------------------

MtfParser::Layout_refContext::Layout_refContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::Layout_literalContext* MtfParser::Layout_refContext::layout_literal() {
  return getRuleContext<MtfParser::Layout_literalContext>(0);
}

tree::TerminalNode* MtfParser::Layout_refContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Layout_refContext::DOT() {
  return getToken(MtfParser::DOT, 0);
}

MtfParser::Any_wordContext* MtfParser::Layout_refContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}


size_t MtfParser::Layout_refContext::getRuleIndex() const {
  return MtfParser::RuleLayout_ref;
}


MtfParser::Layout_refContext* MtfParser::layout_ref() {
  Layout_refContext *_localctx = _tracker.createInstance<Layout_refContext>(_ctx, getState());
  enterRule(_localctx, 84, MtfParser::RuleLayout_ref);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(460);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::LBRACE: {
        enterOuterAlt(_localctx, 1);
        setState(454);
        layout_literal();
        break;
      }

      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 2);
        setState(455);
        match(MtfParser::IDENT);
        setState(458);
        _errHandler->sync(this);

        switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 42, _ctx)) {
        case 1: {
          setState(456);
          match(MtfParser::DOT);
          setState(457);
          any_word();
          break;
        }

        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Layout_literalContext ------------------------------------------------------------------

MtfParser::Layout_literalContext::Layout_literalContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Layout_literalContext::LBRACE() {
  return getToken(MtfParser::LBRACE, 0);
}

tree::TerminalNode* MtfParser::Layout_literalContext::RBRACE() {
  return getToken(MtfParser::RBRACE, 0);
}

std::vector<MtfParser::Layout_itemContext *> MtfParser::Layout_literalContext::layout_item() {
  return getRuleContexts<MtfParser::Layout_itemContext>();
}

MtfParser::Layout_itemContext* MtfParser::Layout_literalContext::layout_item(size_t i) {
  return getRuleContext<MtfParser::Layout_itemContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Layout_literalContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Layout_literalContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Layout_literalContext::getRuleIndex() const {
  return MtfParser::RuleLayout_literal;
}


MtfParser::Layout_literalContext* MtfParser::layout_literal() {
  Layout_literalContext *_localctx = _tracker.createInstance<Layout_literalContext>(_ctx, getState());
  enterRule(_localctx, 86, MtfParser::RuleLayout_literal);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(462);
    match(MtfParser::LBRACE);
    setState(474);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::IDENT

    || _la == MtfParser::DOTDOT) {
      setState(463);
      layout_item();
      setState(468);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 44, _ctx);
      while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
        if (alt == 1) {
          setState(464);
          match(MtfParser::COMMA);
          setState(465);
          layout_item(); 
        }
        setState(470);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 44, _ctx);
      }
      setState(472);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MtfParser::COMMA) {
        setState(471);
        match(MtfParser::COMMA);
      }
    }
    setState(476);
    match(MtfParser::RBRACE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Layout_itemContext ------------------------------------------------------------------

MtfParser::Layout_itemContext::Layout_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Layout_itemContext::DOTDOT() {
  return getToken(MtfParser::DOTDOT, 0);
}

tree::TerminalNode* MtfParser::Layout_itemContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Layout_itemContext::ARROW() {
  return getToken(MtfParser::ARROW, 0);
}

std::vector<MtfParser::Any_wordContext *> MtfParser::Layout_itemContext::any_word() {
  return getRuleContexts<MtfParser::Any_wordContext>();
}

MtfParser::Any_wordContext* MtfParser::Layout_itemContext::any_word(size_t i) {
  return getRuleContext<MtfParser::Any_wordContext>(i);
}

tree::TerminalNode* MtfParser::Layout_itemContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

tree::TerminalNode* MtfParser::Layout_itemContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}

std::vector<tree::TerminalNode *> MtfParser::Layout_itemContext::PRIME() {
  return getTokens(MtfParser::PRIME);
}

tree::TerminalNode* MtfParser::Layout_itemContext::PRIME(size_t i) {
  return getToken(MtfParser::PRIME, i);
}

std::vector<tree::TerminalNode *> MtfParser::Layout_itemContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Layout_itemContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}

MtfParser::StringContext* MtfParser::Layout_itemContext::string() {
  return getRuleContext<MtfParser::StringContext>(0);
}

tree::TerminalNode* MtfParser::Layout_itemContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

MtfParser::Layout_literalContext* MtfParser::Layout_itemContext::layout_literal() {
  return getRuleContext<MtfParser::Layout_literalContext>(0);
}


size_t MtfParser::Layout_itemContext::getRuleIndex() const {
  return MtfParser::RuleLayout_item;
}


MtfParser::Layout_itemContext* MtfParser::layout_item() {
  Layout_itemContext *_localctx = _tracker.createInstance<Layout_itemContext>(_ctx, getState());
  enterRule(_localctx, 88, MtfParser::RuleLayout_item);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    setState(509);
    _errHandler->sync(this);
    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 51, _ctx)) {
    case 1: {
      enterOuterAlt(_localctx, 1);
      setState(478);
      match(MtfParser::DOTDOT);
      break;
    }

    case 2: {
      enterOuterAlt(_localctx, 2);
      setState(479);
      match(MtfParser::IDENT);
      setState(483);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == MtfParser::PRIME) {
        setState(480);
        match(MtfParser::PRIME);
        setState(485);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
      setState(486);
      match(MtfParser::ARROW);
      setState(502);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case MtfParser::DIM:
        case MtfParser::MESH:
        case MtfParser::LAYOUT:
        case MtfParser::USE:
        case MtfParser::OPTION:
        case MtfParser::SETTING:
        case MtfParser::WITH:
        case MtfParser::SEED:
        case MtfParser::PRECISION:
        case MtfParser::IMPORT:
        case MtfParser::LET:
        case MtfParser::PARAM:
        case MtfParser::STATE:
        case MtfParser::MODEL:
        case MtfParser::FN:
        case MtfParser::FOR:
        case MtfParser::WHILE:
        case MtfParser::IF:
        case MtfParser::ELSE:
        case MtfParser::BREAK:
        case MtfParser::CONTINUE:
        case MtfParser::RETURN:
        case MtfParser::ASSERT:
        case MtfParser::COUNTERS:
        case MtfParser::NO_GRAD:
        case MtfParser::F32:
        case MtfParser::F64:
        case MtfParser::BF16:
        case MtfParser::I32:
        case MtfParser::BOOL:
        case MtfParser::AS:
        case MtfParser::IN:
        case MtfParser::AND:
        case MtfParser::OR:
        case MtfParser::NOT:
        case MtfParser::TRUE:
        case MtfParser::FALSE:
        case MtfParser::NONE:
        case MtfParser::IDENT: {
          setState(487);
          any_word();
          break;
        }

        case MtfParser::LBRACKET: {
          setState(488);
          match(MtfParser::LBRACKET);
          setState(489);
          any_word();
          setState(494);
          _errHandler->sync(this);
          alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 48, _ctx);
          while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
            if (alt == 1) {
              setState(490);
              match(MtfParser::COMMA);
              setState(491);
              any_word(); 
            }
            setState(496);
            _errHandler->sync(this);
            alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 48, _ctx);
          }
          setState(498);
          _errHandler->sync(this);

          _la = _input->LA(1);
          if (_la == MtfParser::COMMA) {
            setState(497);
            match(MtfParser::COMMA);
          }
          setState(500);
          match(MtfParser::RBRACKET);
          break;
        }

      default:
        throw NoViableAltException(this);
      }
      break;
    }

    case 3: {
      enterOuterAlt(_localctx, 3);
      setState(504);
      match(MtfParser::IDENT);
      setState(505);
      string();
      setState(506);
      match(MtfParser::COLON);
      setState(507);
      layout_literal();
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- PathContext ------------------------------------------------------------------

MtfParser::PathContext::PathContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::PathContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

std::vector<tree::TerminalNode *> MtfParser::PathContext::DOT() {
  return getTokens(MtfParser::DOT);
}

tree::TerminalNode* MtfParser::PathContext::DOT(size_t i) {
  return getToken(MtfParser::DOT, i);
}

std::vector<MtfParser::Any_wordContext *> MtfParser::PathContext::any_word() {
  return getRuleContexts<MtfParser::Any_wordContext>();
}

MtfParser::Any_wordContext* MtfParser::PathContext::any_word(size_t i) {
  return getRuleContext<MtfParser::Any_wordContext>(i);
}


size_t MtfParser::PathContext::getRuleIndex() const {
  return MtfParser::RulePath;
}


MtfParser::PathContext* MtfParser::path() {
  PathContext *_localctx = _tracker.createInstance<PathContext>(_ctx, getState());
  enterRule(_localctx, 90, MtfParser::RulePath);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(511);
    match(MtfParser::IDENT);
    setState(516);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::DOT) {
      setState(512);
      match(MtfParser::DOT);
      setState(513);
      any_word();
      setState(518);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Path_with_indexContext ------------------------------------------------------------------

MtfParser::Path_with_indexContext::Path_with_indexContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Path_with_indexContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

std::vector<MtfParser::Path_stepContext *> MtfParser::Path_with_indexContext::path_step() {
  return getRuleContexts<MtfParser::Path_stepContext>();
}

MtfParser::Path_stepContext* MtfParser::Path_with_indexContext::path_step(size_t i) {
  return getRuleContext<MtfParser::Path_stepContext>(i);
}


size_t MtfParser::Path_with_indexContext::getRuleIndex() const {
  return MtfParser::RulePath_with_index;
}


MtfParser::Path_with_indexContext* MtfParser::path_with_index() {
  Path_with_indexContext *_localctx = _tracker.createInstance<Path_with_indexContext>(_ctx, getState());
  enterRule(_localctx, 92, MtfParser::RulePath_with_index);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(519);
    match(MtfParser::IDENT);
    setState(523);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::LBRACKET

    || _la == MtfParser::DOT) {
      setState(520);
      path_step();
      setState(525);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Path_stepContext ------------------------------------------------------------------

MtfParser::Path_stepContext::Path_stepContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Path_stepContext::DOT() {
  return getToken(MtfParser::DOT, 0);
}

MtfParser::Any_wordContext* MtfParser::Path_stepContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}

tree::TerminalNode* MtfParser::Path_stepContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

MtfParser::ExprContext* MtfParser::Path_stepContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Path_stepContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}


size_t MtfParser::Path_stepContext::getRuleIndex() const {
  return MtfParser::RulePath_step;
}


MtfParser::Path_stepContext* MtfParser::path_step() {
  Path_stepContext *_localctx = _tracker.createInstance<Path_stepContext>(_ctx, getState());
  enterRule(_localctx, 94, MtfParser::RulePath_step);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(532);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::DOT: {
        enterOuterAlt(_localctx, 1);
        setState(526);
        match(MtfParser::DOT);
        setState(527);
        any_word();
        break;
      }

      case MtfParser::LBRACKET: {
        enterOuterAlt(_localctx, 2);
        setState(528);
        match(MtfParser::LBRACKET);
        setState(529);
        expr(0);
        setState(530);
        match(MtfParser::RBRACKET);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ExprContext ------------------------------------------------------------------

MtfParser::ExprContext::ExprContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}


size_t MtfParser::ExprContext::getRuleIndex() const {
  return MtfParser::RuleExpr;
}

void MtfParser::ExprContext::copyFrom(ExprContext *ctx) {
  ParserRuleContext::copyFrom(ctx);
}

//----------------- Unary_exprContext ------------------------------------------------------------------

MtfParser::ExprContext* MtfParser::Unary_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Unary_exprContext::MINUS() {
  return getToken(MtfParser::MINUS, 0);
}

tree::TerminalNode* MtfParser::Unary_exprContext::NOT() {
  return getToken(MtfParser::NOT, 0);
}

MtfParser::Unary_exprContext::Unary_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Binary_exprContext ------------------------------------------------------------------

std::vector<MtfParser::ExprContext *> MtfParser::Binary_exprContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Binary_exprContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

tree::TerminalNode* MtfParser::Binary_exprContext::CARET() {
  return getToken(MtfParser::CARET, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::STAR() {
  return getToken(MtfParser::STAR, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::SLASH() {
  return getToken(MtfParser::SLASH, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::FLOOR_DIVIDE() {
  return getToken(MtfParser::FLOOR_DIVIDE, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::PERCENT() {
  return getToken(MtfParser::PERCENT, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::PLUS() {
  return getToken(MtfParser::PLUS, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::MINUS() {
  return getToken(MtfParser::MINUS, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::EQUAL() {
  return getToken(MtfParser::EQUAL, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::NOT_EQUAL() {
  return getToken(MtfParser::NOT_EQUAL, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::LESS() {
  return getToken(MtfParser::LESS, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::LESS_EQUAL() {
  return getToken(MtfParser::LESS_EQUAL, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::GREATER() {
  return getToken(MtfParser::GREATER, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::GREATER_EQUAL() {
  return getToken(MtfParser::GREATER_EQUAL, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::IN() {
  return getToken(MtfParser::IN, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::AND() {
  return getToken(MtfParser::AND, 0);
}

tree::TerminalNode* MtfParser::Binary_exprContext::OR() {
  return getToken(MtfParser::OR, 0);
}

MtfParser::Binary_exprContext::Binary_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Index_exprContext ------------------------------------------------------------------

MtfParser::ExprContext* MtfParser::Index_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Index_exprContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

MtfParser::Index_argumentsContext* MtfParser::Index_exprContext::index_arguments() {
  return getRuleContext<MtfParser::Index_argumentsContext>(0);
}

tree::TerminalNode* MtfParser::Index_exprContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}

MtfParser::Index_exprContext::Index_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Lambda_exprContext ------------------------------------------------------------------

tree::TerminalNode* MtfParser::Lambda_exprContext::FN() {
  return getToken(MtfParser::FN, 0);
}

tree::TerminalNode* MtfParser::Lambda_exprContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

tree::TerminalNode* MtfParser::Lambda_exprContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

MtfParser::BlockContext* MtfParser::Lambda_exprContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}

tree::TerminalNode* MtfParser::Lambda_exprContext::ASSIGN() {
  return getToken(MtfParser::ASSIGN, 0);
}

MtfParser::ExprContext* MtfParser::Lambda_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

MtfParser::ParametersContext* MtfParser::Lambda_exprContext::parameters() {
  return getRuleContext<MtfParser::ParametersContext>(0);
}

tree::TerminalNode* MtfParser::Lambda_exprContext::ARROW() {
  return getToken(MtfParser::ARROW, 0);
}

MtfParser::AnnotationContext* MtfParser::Lambda_exprContext::annotation() {
  return getRuleContext<MtfParser::AnnotationContext>(0);
}

MtfParser::Lambda_exprContext::Lambda_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- At_exprContext ------------------------------------------------------------------

MtfParser::ExprContext* MtfParser::At_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::At_exprContext::AT() {
  return getToken(MtfParser::AT, 0);
}

MtfParser::Layout_refContext* MtfParser::At_exprContext::layout_ref() {
  return getRuleContext<MtfParser::Layout_refContext>(0);
}

MtfParser::At_exprContext::At_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Call_exprContext ------------------------------------------------------------------

MtfParser::ExprContext* MtfParser::Call_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Call_exprContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

tree::TerminalNode* MtfParser::Call_exprContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

MtfParser::ArgumentsContext* MtfParser::Call_exprContext::arguments() {
  return getRuleContext<MtfParser::ArgumentsContext>(0);
}

MtfParser::Call_exprContext::Call_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Attribute_exprContext ------------------------------------------------------------------

MtfParser::ExprContext* MtfParser::Attribute_exprContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Attribute_exprContext::DOT() {
  return getToken(MtfParser::DOT, 0);
}

MtfParser::Any_wordContext* MtfParser::Attribute_exprContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}

MtfParser::Attribute_exprContext::Attribute_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Primary_exprContext ------------------------------------------------------------------

MtfParser::PrimaryContext* MtfParser::Primary_exprContext::primary() {
  return getRuleContext<MtfParser::PrimaryContext>(0);
}

MtfParser::Primary_exprContext::Primary_exprContext(ExprContext *ctx) { copyFrom(ctx); }


//----------------- Range_exprContext ------------------------------------------------------------------

std::vector<MtfParser::ExprContext *> MtfParser::Range_exprContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Range_exprContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

tree::TerminalNode* MtfParser::Range_exprContext::DOTDOT() {
  return getToken(MtfParser::DOTDOT, 0);
}

MtfParser::Range_exprContext::Range_exprContext(ExprContext *ctx) { copyFrom(ctx); }



MtfParser::ExprContext* MtfParser::expr() {
   return expr(0);
}

MtfParser::ExprContext* MtfParser::expr(int precedence) {
  ParserRuleContext *parentContext = _ctx;
  size_t parentState = getState();
  MtfParser::ExprContext *_localctx = _tracker.createInstance<ExprContext>(_ctx, parentState);
  MtfParser::ExprContext *previousContext = _localctx;
  (void)previousContext; // Silence compiler, in case the context is not used by generated code.
  size_t startState = 96;
  enterRecursionRule(_localctx, 96, MtfParser::RuleExpr, precedence);

    size_t _la = 0;

  auto onExit = finally([=] {
    unrollRecursionContexts(parentContext);
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(555);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IF:
      case MtfParser::COUNTERS:
      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL:
      case MtfParser::TRUE:
      case MtfParser::FALSE:
      case MtfParser::NONE:
      case MtfParser::IDENT:
      case MtfParser::FLOAT:
      case MtfParser::INT:
      case MtfParser::LPAREN:
      case MtfParser::LBRACKET:
      case MtfParser::STRING_OPEN: {
        _localctx = _tracker.createInstance<Primary_exprContext>(_localctx);
        _ctx = _localctx;
        previousContext = _localctx;

        setState(535);
        primary();
        break;
      }

      case MtfParser::MINUS: {
        _localctx = _tracker.createInstance<Unary_exprContext>(_localctx);
        _ctx = _localctx;
        previousContext = _localctx;
        setState(536);
        dynamic_cast<Unary_exprContext *>(_localctx)->op = match(MtfParser::MINUS);
        setState(537);
        expr(9);
        break;
      }

      case MtfParser::NOT: {
        _localctx = _tracker.createInstance<Unary_exprContext>(_localctx);
        _ctx = _localctx;
        previousContext = _localctx;
        setState(538);
        dynamic_cast<Unary_exprContext *>(_localctx)->op = match(MtfParser::NOT);
        setState(539);
        expr(4);
        break;
      }

      case MtfParser::FN: {
        _localctx = _tracker.createInstance<Lambda_exprContext>(_localctx);
        _ctx = _localctx;
        previousContext = _localctx;
        setState(540);
        match(MtfParser::FN);
        setState(541);
        match(MtfParser::LPAREN);
        setState(543);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MtfParser::IDENT) {
          setState(542);
          parameters();
        }
        setState(545);
        match(MtfParser::RPAREN);
        setState(548);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MtfParser::ARROW) {
          setState(546);
          match(MtfParser::ARROW);
          setState(547);
          annotation();
        }
        setState(553);
        _errHandler->sync(this);
        switch (_input->LA(1)) {
          case MtfParser::LBRACE: {
            setState(550);
            block();
            break;
          }

          case MtfParser::ASSIGN: {
            setState(551);
            match(MtfParser::ASSIGN);
            setState(552);
            expr(0);
            break;
          }

        default:
          throw NoViableAltException(this);
        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
    _ctx->stop = _input->LT(-1);
    setState(597);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 61, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        if (!_parseListeners.empty())
          triggerExitRuleEvent();
        previousContext = _localctx;
        setState(595);
        _errHandler->sync(this);
        switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 60, _ctx)) {
        case 1: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(557);

          if (!(precpred(_ctx, 10))) throw FailedPredicateException(this, "precpred(_ctx, 10)");
          setState(558);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = match(MtfParser::CARET);
          setState(559);
          expr(10);
          break;
        }

        case 2: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(560);

          if (!(precpred(_ctx, 8))) throw FailedPredicateException(this, "precpred(_ctx, 8)");
          setState(561);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = _input->LT(1);
          _la = _input->LA(1);
          if (!(((((_la - 64) & ~ 0x3fULL) == 0) &&
            ((1ULL << (_la - 64)) & ((1ULL << (MtfParser::FLOOR_DIVIDE - 64))
            | (1ULL << (MtfParser::STAR - 64))
            | (1ULL << (MtfParser::SLASH - 64))
            | (1ULL << (MtfParser::PERCENT - 64)))) != 0))) {
            dynamic_cast<Binary_exprContext *>(_localctx)->op = _errHandler->recoverInline(this);
          }
          else {
            _errHandler->reportMatch(this);
            consume();
          }
          setState(562);
          expr(9);
          break;
        }

        case 3: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(563);

          if (!(precpred(_ctx, 7))) throw FailedPredicateException(this, "precpred(_ctx, 7)");
          setState(564);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = _input->LT(1);
          _la = _input->LA(1);
          if (!(_la == MtfParser::PLUS

          || _la == MtfParser::MINUS)) {
            dynamic_cast<Binary_exprContext *>(_localctx)->op = _errHandler->recoverInline(this);
          }
          else {
            _errHandler->reportMatch(this);
            consume();
          }
          setState(565);
          expr(8);
          break;
        }

        case 4: {
          auto newContext = _tracker.createInstance<Range_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(566);

          if (!(precpred(_ctx, 6))) throw FailedPredicateException(this, "precpred(_ctx, 6)");
          setState(567);
          match(MtfParser::DOTDOT);
          setState(568);
          expr(7);
          break;
        }

        case 5: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(569);

          if (!(precpred(_ctx, 5))) throw FailedPredicateException(this, "precpred(_ctx, 5)");
          setState(570);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = _input->LT(1);
          _la = _input->LA(1);
          if (!((((_la & ~ 0x3fULL) == 0) &&
            ((1ULL << _la) & ((1ULL << MtfParser::IN)
            | (1ULL << MtfParser::EQUAL)
            | (1ULL << MtfParser::NOT_EQUAL)
            | (1ULL << MtfParser::LESS_EQUAL)
            | (1ULL << MtfParser::GREATER_EQUAL)
            | (1ULL << MtfParser::LESS)
            | (1ULL << MtfParser::GREATER))) != 0))) {
            dynamic_cast<Binary_exprContext *>(_localctx)->op = _errHandler->recoverInline(this);
          }
          else {
            _errHandler->reportMatch(this);
            consume();
          }
          setState(571);
          expr(6);
          break;
        }

        case 6: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(572);

          if (!(precpred(_ctx, 3))) throw FailedPredicateException(this, "precpred(_ctx, 3)");
          setState(573);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = match(MtfParser::AND);
          setState(574);
          expr(4);
          break;
        }

        case 7: {
          auto newContext = _tracker.createInstance<Binary_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(575);

          if (!(precpred(_ctx, 2))) throw FailedPredicateException(this, "precpred(_ctx, 2)");
          setState(576);
          dynamic_cast<Binary_exprContext *>(_localctx)->op = match(MtfParser::OR);
          setState(577);
          expr(3);
          break;
        }

        case 8: {
          auto newContext = _tracker.createInstance<Call_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(578);

          if (!(precpred(_ctx, 14))) throw FailedPredicateException(this, "precpred(_ctx, 14)");
          setState(579);
          match(MtfParser::LPAREN);
          setState(581);
          _errHandler->sync(this);

          _la = _input->LA(1);
          if ((((_la & ~ 0x3fULL) == 0) &&
            ((1ULL << _la) & ((1ULL << MtfParser::DIM)
            | (1ULL << MtfParser::MESH)
            | (1ULL << MtfParser::LAYOUT)
            | (1ULL << MtfParser::USE)
            | (1ULL << MtfParser::OPTION)
            | (1ULL << MtfParser::SETTING)
            | (1ULL << MtfParser::WITH)
            | (1ULL << MtfParser::SEED)
            | (1ULL << MtfParser::PRECISION)
            | (1ULL << MtfParser::IMPORT)
            | (1ULL << MtfParser::LET)
            | (1ULL << MtfParser::PARAM)
            | (1ULL << MtfParser::STATE)
            | (1ULL << MtfParser::MODEL)
            | (1ULL << MtfParser::FN)
            | (1ULL << MtfParser::FOR)
            | (1ULL << MtfParser::WHILE)
            | (1ULL << MtfParser::IF)
            | (1ULL << MtfParser::ELSE)
            | (1ULL << MtfParser::BREAK)
            | (1ULL << MtfParser::CONTINUE)
            | (1ULL << MtfParser::RETURN)
            | (1ULL << MtfParser::ASSERT)
            | (1ULL << MtfParser::COUNTERS)
            | (1ULL << MtfParser::NO_GRAD)
            | (1ULL << MtfParser::F32)
            | (1ULL << MtfParser::F64)
            | (1ULL << MtfParser::BF16)
            | (1ULL << MtfParser::I32)
            | (1ULL << MtfParser::BOOL)
            | (1ULL << MtfParser::AS)
            | (1ULL << MtfParser::IN)
            | (1ULL << MtfParser::AND)
            | (1ULL << MtfParser::OR)
            | (1ULL << MtfParser::NOT)
            | (1ULL << MtfParser::TRUE)
            | (1ULL << MtfParser::FALSE)
            | (1ULL << MtfParser::NONE)
            | (1ULL << MtfParser::IDENT)
            | (1ULL << MtfParser::FLOAT)
            | (1ULL << MtfParser::INT)
            | (1ULL << MtfParser::LPAREN)
            | (1ULL << MtfParser::LBRACKET))) != 0) || _la == MtfParser::MINUS

          || _la == MtfParser::STRING_OPEN) {
            setState(580);
            arguments();
          }
          setState(583);
          match(MtfParser::RPAREN);
          break;
        }

        case 9: {
          auto newContext = _tracker.createInstance<Index_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(584);

          if (!(precpred(_ctx, 13))) throw FailedPredicateException(this, "precpred(_ctx, 13)");
          setState(585);
          match(MtfParser::LBRACKET);
          setState(586);
          index_arguments();
          setState(587);
          match(MtfParser::RBRACKET);
          break;
        }

        case 10: {
          auto newContext = _tracker.createInstance<Attribute_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(589);

          if (!(precpred(_ctx, 12))) throw FailedPredicateException(this, "precpred(_ctx, 12)");
          setState(590);
          match(MtfParser::DOT);
          setState(591);
          any_word();
          break;
        }

        case 11: {
          auto newContext = _tracker.createInstance<At_exprContext>(_tracker.createInstance<ExprContext>(parentContext, parentState));
          _localctx = newContext;
          pushNewRecursionContext(newContext, startState, RuleExpr);
          setState(592);

          if (!(precpred(_ctx, 11))) throw FailedPredicateException(this, "precpred(_ctx, 11)");
          setState(593);
          match(MtfParser::AT);
          setState(594);
          layout_ref();
          break;
        }

        } 
      }
      setState(599);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 61, _ctx);
    }
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }
  return _localctx;
}

//----------------- PrimaryContext ------------------------------------------------------------------

MtfParser::PrimaryContext::PrimaryContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::PrimaryContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

std::vector<tree::TerminalNode *> MtfParser::PrimaryContext::PRIME() {
  return getTokens(MtfParser::PRIME);
}

tree::TerminalNode* MtfParser::PrimaryContext::PRIME(size_t i) {
  return getToken(MtfParser::PRIME, i);
}

tree::TerminalNode* MtfParser::PrimaryContext::INT() {
  return getToken(MtfParser::INT, 0);
}

tree::TerminalNode* MtfParser::PrimaryContext::FLOAT() {
  return getToken(MtfParser::FLOAT, 0);
}

tree::TerminalNode* MtfParser::PrimaryContext::TRUE() {
  return getToken(MtfParser::TRUE, 0);
}

tree::TerminalNode* MtfParser::PrimaryContext::FALSE() {
  return getToken(MtfParser::FALSE, 0);
}

tree::TerminalNode* MtfParser::PrimaryContext::NONE() {
  return getToken(MtfParser::NONE, 0);
}

MtfParser::Element_typeContext* MtfParser::PrimaryContext::element_type() {
  return getRuleContext<MtfParser::Element_typeContext>(0);
}

MtfParser::StringContext* MtfParser::PrimaryContext::string() {
  return getRuleContext<MtfParser::StringContext>(0);
}

MtfParser::ParensContext* MtfParser::PrimaryContext::parens() {
  return getRuleContext<MtfParser::ParensContext>(0);
}

MtfParser::ListContext* MtfParser::PrimaryContext::list() {
  return getRuleContext<MtfParser::ListContext>(0);
}

tree::TerminalNode* MtfParser::PrimaryContext::COUNTERS() {
  return getToken(MtfParser::COUNTERS, 0);
}

MtfParser::BlockContext* MtfParser::PrimaryContext::block() {
  return getRuleContext<MtfParser::BlockContext>(0);
}

MtfParser::If_elseContext* MtfParser::PrimaryContext::if_else() {
  return getRuleContext<MtfParser::If_elseContext>(0);
}


size_t MtfParser::PrimaryContext::getRuleIndex() const {
  return MtfParser::RulePrimary;
}


MtfParser::PrimaryContext* MtfParser::primary() {
  PrimaryContext *_localctx = _tracker.createInstance<PrimaryContext>(_ctx, getState());
  enterRule(_localctx, 98, MtfParser::RulePrimary);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    setState(619);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 1);
        setState(600);
        match(MtfParser::IDENT);
        setState(604);
        _errHandler->sync(this);
        alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 62, _ctx);
        while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
          if (alt == 1) {
            setState(601);
            match(MtfParser::PRIME); 
          }
          setState(606);
          _errHandler->sync(this);
          alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 62, _ctx);
        }
        break;
      }

      case MtfParser::INT: {
        enterOuterAlt(_localctx, 2);
        setState(607);
        match(MtfParser::INT);
        break;
      }

      case MtfParser::FLOAT: {
        enterOuterAlt(_localctx, 3);
        setState(608);
        match(MtfParser::FLOAT);
        break;
      }

      case MtfParser::TRUE: {
        enterOuterAlt(_localctx, 4);
        setState(609);
        match(MtfParser::TRUE);
        break;
      }

      case MtfParser::FALSE: {
        enterOuterAlt(_localctx, 5);
        setState(610);
        match(MtfParser::FALSE);
        break;
      }

      case MtfParser::NONE: {
        enterOuterAlt(_localctx, 6);
        setState(611);
        match(MtfParser::NONE);
        break;
      }

      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL: {
        enterOuterAlt(_localctx, 7);
        setState(612);
        element_type();
        break;
      }

      case MtfParser::STRING_OPEN: {
        enterOuterAlt(_localctx, 8);
        setState(613);
        string();
        break;
      }

      case MtfParser::LPAREN: {
        enterOuterAlt(_localctx, 9);
        setState(614);
        parens();
        break;
      }

      case MtfParser::LBRACKET: {
        enterOuterAlt(_localctx, 10);
        setState(615);
        list();
        break;
      }

      case MtfParser::COUNTERS: {
        enterOuterAlt(_localctx, 11);
        setState(616);
        match(MtfParser::COUNTERS);
        setState(617);
        block();
        break;
      }

      case MtfParser::IF: {
        enterOuterAlt(_localctx, 12);
        setState(618);
        if_else();
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- If_elseContext ------------------------------------------------------------------

MtfParser::If_elseContext::If_elseContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<tree::TerminalNode *> MtfParser::If_elseContext::IF() {
  return getTokens(MtfParser::IF);
}

tree::TerminalNode* MtfParser::If_elseContext::IF(size_t i) {
  return getToken(MtfParser::IF, i);
}

std::vector<MtfParser::ExprContext *> MtfParser::If_elseContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::If_elseContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

std::vector<MtfParser::BlockContext *> MtfParser::If_elseContext::block() {
  return getRuleContexts<MtfParser::BlockContext>();
}

MtfParser::BlockContext* MtfParser::If_elseContext::block(size_t i) {
  return getRuleContext<MtfParser::BlockContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::If_elseContext::ELSE() {
  return getTokens(MtfParser::ELSE);
}

tree::TerminalNode* MtfParser::If_elseContext::ELSE(size_t i) {
  return getToken(MtfParser::ELSE, i);
}


size_t MtfParser::If_elseContext::getRuleIndex() const {
  return MtfParser::RuleIf_else;
}


MtfParser::If_elseContext* MtfParser::if_else() {
  If_elseContext *_localctx = _tracker.createInstance<If_elseContext>(_ctx, getState());
  enterRule(_localctx, 100, MtfParser::RuleIf_else);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(621);
    match(MtfParser::IF);
    setState(622);
    expr(0);
    setState(623);
    block();
    setState(631);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 64, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        setState(624);
        match(MtfParser::ELSE);
        setState(625);
        match(MtfParser::IF);
        setState(626);
        expr(0);
        setState(627);
        block(); 
      }
      setState(633);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 64, _ctx);
    }
    setState(636);
    _errHandler->sync(this);

    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 65, _ctx)) {
    case 1: {
      setState(634);
      match(MtfParser::ELSE);
      setState(635);
      block();
      break;
    }

    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ParensContext ------------------------------------------------------------------

MtfParser::ParensContext::ParensContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::ParensContext::LPAREN() {
  return getToken(MtfParser::LPAREN, 0);
}

std::vector<MtfParser::ExprContext *> MtfParser::ParensContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::ParensContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

tree::TerminalNode* MtfParser::ParensContext::RPAREN() {
  return getToken(MtfParser::RPAREN, 0);
}

std::vector<tree::TerminalNode *> MtfParser::ParensContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::ParensContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::ParensContext::getRuleIndex() const {
  return MtfParser::RuleParens;
}


MtfParser::ParensContext* MtfParser::parens() {
  ParensContext *_localctx = _tracker.createInstance<ParensContext>(_ctx, getState());
  enterRule(_localctx, 102, MtfParser::RuleParens);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(638);
    match(MtfParser::LPAREN);
    setState(639);
    expr(0);
    setState(644);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 66, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        setState(640);
        match(MtfParser::COMMA);
        setState(641);
        expr(0); 
      }
      setState(646);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 66, _ctx);
    }
    setState(648);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COMMA) {
      setState(647);
      match(MtfParser::COMMA);
    }
    setState(650);
    match(MtfParser::RPAREN);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ListContext ------------------------------------------------------------------

MtfParser::ListContext::ListContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::ListContext::LBRACKET() {
  return getToken(MtfParser::LBRACKET, 0);
}

tree::TerminalNode* MtfParser::ListContext::RBRACKET() {
  return getToken(MtfParser::RBRACKET, 0);
}

std::vector<MtfParser::List_itemContext *> MtfParser::ListContext::list_item() {
  return getRuleContexts<MtfParser::List_itemContext>();
}

MtfParser::List_itemContext* MtfParser::ListContext::list_item(size_t i) {
  return getRuleContext<MtfParser::List_itemContext>(i);
}

std::vector<MtfParser::Comprehension_loopContext *> MtfParser::ListContext::comprehension_loop() {
  return getRuleContexts<MtfParser::Comprehension_loopContext>();
}

MtfParser::Comprehension_loopContext* MtfParser::ListContext::comprehension_loop(size_t i) {
  return getRuleContext<MtfParser::Comprehension_loopContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::ListContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::ListContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::ListContext::getRuleIndex() const {
  return MtfParser::RuleList;
}


MtfParser::ListContext* MtfParser::list() {
  ListContext *_localctx = _tracker.createInstance<ListContext>(_ctx, getState());
  enterRule(_localctx, 104, MtfParser::RuleList);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(652);
    match(MtfParser::LBRACKET);
    setState(671);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (((((_la - 20) & ~ 0x3fULL) == 0) &&
      ((1ULL << (_la - 20)) & ((1ULL << (MtfParser::FN - 20))
      | (1ULL << (MtfParser::IF - 20))
      | (1ULL << (MtfParser::COUNTERS - 20))
      | (1ULL << (MtfParser::F32 - 20))
      | (1ULL << (MtfParser::F64 - 20))
      | (1ULL << (MtfParser::BF16 - 20))
      | (1ULL << (MtfParser::I32 - 20))
      | (1ULL << (MtfParser::BOOL - 20))
      | (1ULL << (MtfParser::NOT - 20))
      | (1ULL << (MtfParser::TRUE - 20))
      | (1ULL << (MtfParser::FALSE - 20))
      | (1ULL << (MtfParser::NONE - 20))
      | (1ULL << (MtfParser::IDENT - 20))
      | (1ULL << (MtfParser::FLOAT - 20))
      | (1ULL << (MtfParser::INT - 20))
      | (1ULL << (MtfParser::LPAREN - 20))
      | (1ULL << (MtfParser::LBRACKET - 20))
      | (1ULL << (MtfParser::MINUS - 20))
      | (1ULL << (MtfParser::DOTDOT - 20))
      | (1ULL << (MtfParser::STRING_OPEN - 20)))) != 0)) {
      setState(653);
      list_item();
      setState(669);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case MtfParser::FOR: {
          setState(655); 
          _errHandler->sync(this);
          _la = _input->LA(1);
          do {
            setState(654);
            comprehension_loop();
            setState(657); 
            _errHandler->sync(this);
            _la = _input->LA(1);
          } while (_la == MtfParser::FOR);
          break;
        }

        case MtfParser::RBRACKET:
        case MtfParser::COMMA: {
          setState(663);
          _errHandler->sync(this);
          alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 69, _ctx);
          while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
            if (alt == 1) {
              setState(659);
              match(MtfParser::COMMA);
              setState(660);
              list_item(); 
            }
            setState(665);
            _errHandler->sync(this);
            alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 69, _ctx);
          }
          setState(667);
          _errHandler->sync(this);

          _la = _input->LA(1);
          if (_la == MtfParser::COMMA) {
            setState(666);
            match(MtfParser::COMMA);
          }
          break;
        }

      default:
        throw NoViableAltException(this);
      }
    }
    setState(673);
    match(MtfParser::RBRACKET);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Comprehension_loopContext ------------------------------------------------------------------

MtfParser::Comprehension_loopContext::Comprehension_loopContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Comprehension_loopContext::FOR() {
  return getToken(MtfParser::FOR, 0);
}

MtfParser::PatternsContext* MtfParser::Comprehension_loopContext::patterns() {
  return getRuleContext<MtfParser::PatternsContext>(0);
}

tree::TerminalNode* MtfParser::Comprehension_loopContext::IN() {
  return getToken(MtfParser::IN, 0);
}

std::vector<MtfParser::ExprContext *> MtfParser::Comprehension_loopContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::Comprehension_loopContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Comprehension_loopContext::IF() {
  return getTokens(MtfParser::IF);
}

tree::TerminalNode* MtfParser::Comprehension_loopContext::IF(size_t i) {
  return getToken(MtfParser::IF, i);
}


size_t MtfParser::Comprehension_loopContext::getRuleIndex() const {
  return MtfParser::RuleComprehension_loop;
}


MtfParser::Comprehension_loopContext* MtfParser::comprehension_loop() {
  Comprehension_loopContext *_localctx = _tracker.createInstance<Comprehension_loopContext>(_ctx, getState());
  enterRule(_localctx, 106, MtfParser::RuleComprehension_loop);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(675);
    match(MtfParser::FOR);
    setState(676);
    patterns();
    setState(677);
    match(MtfParser::IN);
    setState(678);
    expr(0);
    setState(683);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::IF) {
      setState(679);
      match(MtfParser::IF);
      setState(680);
      expr(0);
      setState(685);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- List_itemContext ------------------------------------------------------------------

MtfParser::List_itemContext::List_itemContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::List_itemContext::DOTDOT() {
  return getToken(MtfParser::DOTDOT, 0);
}

MtfParser::ExprContext* MtfParser::List_itemContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}


size_t MtfParser::List_itemContext::getRuleIndex() const {
  return MtfParser::RuleList_item;
}


MtfParser::List_itemContext* MtfParser::list_item() {
  List_itemContext *_localctx = _tracker.createInstance<List_itemContext>(_ctx, getState());
  enterRule(_localctx, 108, MtfParser::RuleList_item);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(688);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::DOTDOT: {
        enterOuterAlt(_localctx, 1);
        setState(686);
        match(MtfParser::DOTDOT);
        break;
      }

      case MtfParser::FN:
      case MtfParser::IF:
      case MtfParser::COUNTERS:
      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL:
      case MtfParser::NOT:
      case MtfParser::TRUE:
      case MtfParser::FALSE:
      case MtfParser::NONE:
      case MtfParser::IDENT:
      case MtfParser::FLOAT:
      case MtfParser::INT:
      case MtfParser::LPAREN:
      case MtfParser::LBRACKET:
      case MtfParser::MINUS:
      case MtfParser::STRING_OPEN: {
        enterOuterAlt(_localctx, 2);
        setState(687);
        expr(0);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ArgumentsContext ------------------------------------------------------------------

MtfParser::ArgumentsContext::ArgumentsContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::ArgumentContext *> MtfParser::ArgumentsContext::argument() {
  return getRuleContexts<MtfParser::ArgumentContext>();
}

MtfParser::ArgumentContext* MtfParser::ArgumentsContext::argument(size_t i) {
  return getRuleContext<MtfParser::ArgumentContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::ArgumentsContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::ArgumentsContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::ArgumentsContext::getRuleIndex() const {
  return MtfParser::RuleArguments;
}


MtfParser::ArgumentsContext* MtfParser::arguments() {
  ArgumentsContext *_localctx = _tracker.createInstance<ArgumentsContext>(_ctx, getState());
  enterRule(_localctx, 110, MtfParser::RuleArguments);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(690);
    argument();
    setState(695);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 75, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        setState(691);
        match(MtfParser::COMMA);
        setState(692);
        argument(); 
      }
      setState(697);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 75, _ctx);
    }
    setState(699);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COMMA) {
      setState(698);
      match(MtfParser::COMMA);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- ArgumentContext ------------------------------------------------------------------

MtfParser::ArgumentContext::ArgumentContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::ExprContext *> MtfParser::ArgumentContext::expr() {
  return getRuleContexts<MtfParser::ExprContext>();
}

MtfParser::ExprContext* MtfParser::ArgumentContext::expr(size_t i) {
  return getRuleContext<MtfParser::ExprContext>(i);
}

MtfParser::Any_wordContext* MtfParser::ArgumentContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}

tree::TerminalNode* MtfParser::ArgumentContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

tree::TerminalNode* MtfParser::ArgumentContext::ARROW() {
  return getToken(MtfParser::ARROW, 0);
}

std::vector<tree::TerminalNode *> MtfParser::ArgumentContext::PRIME() {
  return getTokens(MtfParser::PRIME);
}

tree::TerminalNode* MtfParser::ArgumentContext::PRIME(size_t i) {
  return getToken(MtfParser::PRIME, i);
}


size_t MtfParser::ArgumentContext::getRuleIndex() const {
  return MtfParser::RuleArgument;
}


MtfParser::ArgumentContext* MtfParser::argument() {
  ArgumentContext *_localctx = _tracker.createInstance<ArgumentContext>(_ctx, getState());
  enterRule(_localctx, 112, MtfParser::RuleArgument);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(710);
    _errHandler->sync(this);

    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 78, _ctx)) {
    case 1: {
      setState(701);
      any_word();
      setState(705);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == MtfParser::PRIME) {
        setState(702);
        match(MtfParser::PRIME);
        setState(707);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
      setState(708);
      match(MtfParser::COLON);
      break;
    }

    }
    setState(712);
    expr(0);
    setState(715);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::ARROW) {
      setState(713);
      match(MtfParser::ARROW);
      setState(714);
      expr(0);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Index_argumentsContext ------------------------------------------------------------------

MtfParser::Index_argumentsContext::Index_argumentsContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

std::vector<MtfParser::Index_argumentContext *> MtfParser::Index_argumentsContext::index_argument() {
  return getRuleContexts<MtfParser::Index_argumentContext>();
}

MtfParser::Index_argumentContext* MtfParser::Index_argumentsContext::index_argument(size_t i) {
  return getRuleContext<MtfParser::Index_argumentContext>(i);
}

std::vector<tree::TerminalNode *> MtfParser::Index_argumentsContext::COMMA() {
  return getTokens(MtfParser::COMMA);
}

tree::TerminalNode* MtfParser::Index_argumentsContext::COMMA(size_t i) {
  return getToken(MtfParser::COMMA, i);
}


size_t MtfParser::Index_argumentsContext::getRuleIndex() const {
  return MtfParser::RuleIndex_arguments;
}


MtfParser::Index_argumentsContext* MtfParser::index_arguments() {
  Index_argumentsContext *_localctx = _tracker.createInstance<Index_argumentsContext>(_ctx, getState());
  enterRule(_localctx, 114, MtfParser::RuleIndex_arguments);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    size_t alt;
    enterOuterAlt(_localctx, 1);
    setState(717);
    index_argument();
    setState(722);
    _errHandler->sync(this);
    alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 80, _ctx);
    while (alt != 2 && alt != atn::ATN::INVALID_ALT_NUMBER) {
      if (alt == 1) {
        setState(718);
        match(MtfParser::COMMA);
        setState(719);
        index_argument(); 
      }
      setState(724);
      _errHandler->sync(this);
      alt = getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 80, _ctx);
    }
    setState(726);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::COMMA) {
      setState(725);
      match(MtfParser::COMMA);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Index_argumentContext ------------------------------------------------------------------

MtfParser::Index_argumentContext::Index_argumentContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::ExprContext* MtfParser::Index_argumentContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::Index_argumentContext::DOTDOT() {
  return getToken(MtfParser::DOTDOT, 0);
}

MtfParser::Any_wordContext* MtfParser::Index_argumentContext::any_word() {
  return getRuleContext<MtfParser::Any_wordContext>(0);
}

tree::TerminalNode* MtfParser::Index_argumentContext::COLON() {
  return getToken(MtfParser::COLON, 0);
}

std::vector<tree::TerminalNode *> MtfParser::Index_argumentContext::PRIME() {
  return getTokens(MtfParser::PRIME);
}

tree::TerminalNode* MtfParser::Index_argumentContext::PRIME(size_t i) {
  return getToken(MtfParser::PRIME, i);
}


size_t MtfParser::Index_argumentContext::getRuleIndex() const {
  return MtfParser::RuleIndex_argument;
}


MtfParser::Index_argumentContext* MtfParser::index_argument() {
  Index_argumentContext *_localctx = _tracker.createInstance<Index_argumentContext>(_ctx, getState());
  enterRule(_localctx, 116, MtfParser::RuleIndex_argument);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(737);
    _errHandler->sync(this);

    switch (getInterpreter<atn::ParserATNSimulator>()->adaptivePredict(_input, 83, _ctx)) {
    case 1: {
      setState(728);
      any_word();
      setState(732);
      _errHandler->sync(this);
      _la = _input->LA(1);
      while (_la == MtfParser::PRIME) {
        setState(729);
        match(MtfParser::PRIME);
        setState(734);
        _errHandler->sync(this);
        _la = _input->LA(1);
      }
      setState(735);
      match(MtfParser::COLON);
      break;
    }

    }
    setState(747);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::FN:
      case MtfParser::IF:
      case MtfParser::COUNTERS:
      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL:
      case MtfParser::NOT:
      case MtfParser::TRUE:
      case MtfParser::FALSE:
      case MtfParser::NONE:
      case MtfParser::IDENT:
      case MtfParser::FLOAT:
      case MtfParser::INT:
      case MtfParser::LPAREN:
      case MtfParser::LBRACKET:
      case MtfParser::MINUS:
      case MtfParser::STRING_OPEN: {
        setState(739);
        expr(0);
        setState(741);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (_la == MtfParser::DOTDOT) {
          setState(740);
          match(MtfParser::DOTDOT);
        }
        break;
      }

      case MtfParser::DOTDOT: {
        setState(743);
        match(MtfParser::DOTDOT);
        setState(745);
        _errHandler->sync(this);

        _la = _input->LA(1);
        if (((((_la - 20) & ~ 0x3fULL) == 0) &&
          ((1ULL << (_la - 20)) & ((1ULL << (MtfParser::FN - 20))
          | (1ULL << (MtfParser::IF - 20))
          | (1ULL << (MtfParser::COUNTERS - 20))
          | (1ULL << (MtfParser::F32 - 20))
          | (1ULL << (MtfParser::F64 - 20))
          | (1ULL << (MtfParser::BF16 - 20))
          | (1ULL << (MtfParser::I32 - 20))
          | (1ULL << (MtfParser::BOOL - 20))
          | (1ULL << (MtfParser::NOT - 20))
          | (1ULL << (MtfParser::TRUE - 20))
          | (1ULL << (MtfParser::FALSE - 20))
          | (1ULL << (MtfParser::NONE - 20))
          | (1ULL << (MtfParser::IDENT - 20))
          | (1ULL << (MtfParser::FLOAT - 20))
          | (1ULL << (MtfParser::INT - 20))
          | (1ULL << (MtfParser::LPAREN - 20))
          | (1ULL << (MtfParser::LBRACKET - 20))
          | (1ULL << (MtfParser::MINUS - 20))
          | (1ULL << (MtfParser::STRING_OPEN - 20)))) != 0)) {
          setState(744);
          expr(0);
        }
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- StringContext ------------------------------------------------------------------

MtfParser::StringContext::StringContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::StringContext::STRING_OPEN() {
  return getToken(MtfParser::STRING_OPEN, 0);
}

tree::TerminalNode* MtfParser::StringContext::STRING_CLOSE() {
  return getToken(MtfParser::STRING_CLOSE, 0);
}

std::vector<tree::TerminalNode *> MtfParser::StringContext::STRING_TEXT() {
  return getTokens(MtfParser::STRING_TEXT);
}

tree::TerminalNode* MtfParser::StringContext::STRING_TEXT(size_t i) {
  return getToken(MtfParser::STRING_TEXT, i);
}

std::vector<MtfParser::InterpolationContext *> MtfParser::StringContext::interpolation() {
  return getRuleContexts<MtfParser::InterpolationContext>();
}

MtfParser::InterpolationContext* MtfParser::StringContext::interpolation(size_t i) {
  return getRuleContext<MtfParser::InterpolationContext>(i);
}


size_t MtfParser::StringContext::getRuleIndex() const {
  return MtfParser::RuleString;
}


MtfParser::StringContext* MtfParser::string() {
  StringContext *_localctx = _tracker.createInstance<StringContext>(_ctx, getState());
  enterRule(_localctx, 118, MtfParser::RuleString);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(749);
    match(MtfParser::STRING_OPEN);
    setState(754);
    _errHandler->sync(this);
    _la = _input->LA(1);
    while (_la == MtfParser::STRING_TEXT

    || _la == MtfParser::INTERPOLATION_OPEN) {
      setState(752);
      _errHandler->sync(this);
      switch (_input->LA(1)) {
        case MtfParser::STRING_TEXT: {
          setState(750);
          match(MtfParser::STRING_TEXT);
          break;
        }

        case MtfParser::INTERPOLATION_OPEN: {
          setState(751);
          interpolation();
          break;
        }

      default:
        throw NoViableAltException(this);
      }
      setState(756);
      _errHandler->sync(this);
      _la = _input->LA(1);
    }
    setState(757);
    match(MtfParser::STRING_CLOSE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- InterpolationContext ------------------------------------------------------------------

MtfParser::InterpolationContext::InterpolationContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::InterpolationContext::INTERPOLATION_OPEN() {
  return getToken(MtfParser::INTERPOLATION_OPEN, 0);
}

MtfParser::ExprContext* MtfParser::InterpolationContext::expr() {
  return getRuleContext<MtfParser::ExprContext>(0);
}

tree::TerminalNode* MtfParser::InterpolationContext::INTERPOLATION_CLOSE() {
  return getToken(MtfParser::INTERPOLATION_CLOSE, 0);
}

tree::TerminalNode* MtfParser::InterpolationContext::FORMAT_COLON() {
  return getToken(MtfParser::FORMAT_COLON, 0);
}

tree::TerminalNode* MtfParser::InterpolationContext::FORMAT_TEXT() {
  return getToken(MtfParser::FORMAT_TEXT, 0);
}


size_t MtfParser::InterpolationContext::getRuleIndex() const {
  return MtfParser::RuleInterpolation;
}


MtfParser::InterpolationContext* MtfParser::interpolation() {
  InterpolationContext *_localctx = _tracker.createInstance<InterpolationContext>(_ctx, getState());
  enterRule(_localctx, 120, MtfParser::RuleInterpolation);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(759);
    match(MtfParser::INTERPOLATION_OPEN);
    setState(760);
    expr(0);
    setState(765);
    _errHandler->sync(this);

    _la = _input->LA(1);
    if (_la == MtfParser::FORMAT_COLON) {
      setState(761);
      match(MtfParser::FORMAT_COLON);
      setState(763);
      _errHandler->sync(this);

      _la = _input->LA(1);
      if (_la == MtfParser::FORMAT_TEXT) {
        setState(762);
        match(MtfParser::FORMAT_TEXT);
      }
    }
    setState(767);
    match(MtfParser::INTERPOLATION_CLOSE);
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Any_wordContext ------------------------------------------------------------------

MtfParser::Any_wordContext::Any_wordContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

tree::TerminalNode* MtfParser::Any_wordContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::DIM() {
  return getToken(MtfParser::DIM, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::MESH() {
  return getToken(MtfParser::MESH, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::LAYOUT() {
  return getToken(MtfParser::LAYOUT, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::USE() {
  return getToken(MtfParser::USE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::OPTION() {
  return getToken(MtfParser::OPTION, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::SETTING() {
  return getToken(MtfParser::SETTING, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::WITH() {
  return getToken(MtfParser::WITH, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::SEED() {
  return getToken(MtfParser::SEED, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::PRECISION() {
  return getToken(MtfParser::PRECISION, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::IMPORT() {
  return getToken(MtfParser::IMPORT, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::LET() {
  return getToken(MtfParser::LET, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::PARAM() {
  return getToken(MtfParser::PARAM, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::STATE() {
  return getToken(MtfParser::STATE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::MODEL() {
  return getToken(MtfParser::MODEL, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::FN() {
  return getToken(MtfParser::FN, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::FOR() {
  return getToken(MtfParser::FOR, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::WHILE() {
  return getToken(MtfParser::WHILE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::IF() {
  return getToken(MtfParser::IF, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::ELSE() {
  return getToken(MtfParser::ELSE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::BREAK() {
  return getToken(MtfParser::BREAK, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::CONTINUE() {
  return getToken(MtfParser::CONTINUE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::RETURN() {
  return getToken(MtfParser::RETURN, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::ASSERT() {
  return getToken(MtfParser::ASSERT, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::COUNTERS() {
  return getToken(MtfParser::COUNTERS, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::NO_GRAD() {
  return getToken(MtfParser::NO_GRAD, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::F32() {
  return getToken(MtfParser::F32, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::F64() {
  return getToken(MtfParser::F64, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::BF16() {
  return getToken(MtfParser::BF16, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::I32() {
  return getToken(MtfParser::I32, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::BOOL() {
  return getToken(MtfParser::BOOL, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::AS() {
  return getToken(MtfParser::AS, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::IN() {
  return getToken(MtfParser::IN, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::AND() {
  return getToken(MtfParser::AND, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::OR() {
  return getToken(MtfParser::OR, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::NOT() {
  return getToken(MtfParser::NOT, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::TRUE() {
  return getToken(MtfParser::TRUE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::FALSE() {
  return getToken(MtfParser::FALSE, 0);
}

tree::TerminalNode* MtfParser::Any_wordContext::NONE() {
  return getToken(MtfParser::NONE, 0);
}


size_t MtfParser::Any_wordContext::getRuleIndex() const {
  return MtfParser::RuleAny_word;
}


MtfParser::Any_wordContext* MtfParser::any_word() {
  Any_wordContext *_localctx = _tracker.createInstance<Any_wordContext>(_ctx, getState());
  enterRule(_localctx, 122, MtfParser::RuleAny_word);
  size_t _la = 0;

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    enterOuterAlt(_localctx, 1);
    setState(769);
    _la = _input->LA(1);
    if (!((((_la & ~ 0x3fULL) == 0) &&
      ((1ULL << _la) & ((1ULL << MtfParser::DIM)
      | (1ULL << MtfParser::MESH)
      | (1ULL << MtfParser::LAYOUT)
      | (1ULL << MtfParser::USE)
      | (1ULL << MtfParser::OPTION)
      | (1ULL << MtfParser::SETTING)
      | (1ULL << MtfParser::WITH)
      | (1ULL << MtfParser::SEED)
      | (1ULL << MtfParser::PRECISION)
      | (1ULL << MtfParser::IMPORT)
      | (1ULL << MtfParser::LET)
      | (1ULL << MtfParser::PARAM)
      | (1ULL << MtfParser::STATE)
      | (1ULL << MtfParser::MODEL)
      | (1ULL << MtfParser::FN)
      | (1ULL << MtfParser::FOR)
      | (1ULL << MtfParser::WHILE)
      | (1ULL << MtfParser::IF)
      | (1ULL << MtfParser::ELSE)
      | (1ULL << MtfParser::BREAK)
      | (1ULL << MtfParser::CONTINUE)
      | (1ULL << MtfParser::RETURN)
      | (1ULL << MtfParser::ASSERT)
      | (1ULL << MtfParser::COUNTERS)
      | (1ULL << MtfParser::NO_GRAD)
      | (1ULL << MtfParser::F32)
      | (1ULL << MtfParser::F64)
      | (1ULL << MtfParser::BF16)
      | (1ULL << MtfParser::I32)
      | (1ULL << MtfParser::BOOL)
      | (1ULL << MtfParser::AS)
      | (1ULL << MtfParser::IN)
      | (1ULL << MtfParser::AND)
      | (1ULL << MtfParser::OR)
      | (1ULL << MtfParser::NOT)
      | (1ULL << MtfParser::TRUE)
      | (1ULL << MtfParser::FALSE)
      | (1ULL << MtfParser::NONE)
      | (1ULL << MtfParser::IDENT))) != 0))) {
    _errHandler->recoverInline(this);
    }
    else {
      _errHandler->reportMatch(this);
      consume();
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

//----------------- Precision_wordContext ------------------------------------------------------------------

MtfParser::Precision_wordContext::Precision_wordContext(ParserRuleContext *parent, size_t invokingState)
  : ParserRuleContext(parent, invokingState) {
}

MtfParser::Element_typeContext* MtfParser::Precision_wordContext::element_type() {
  return getRuleContext<MtfParser::Element_typeContext>(0);
}

tree::TerminalNode* MtfParser::Precision_wordContext::IDENT() {
  return getToken(MtfParser::IDENT, 0);
}


size_t MtfParser::Precision_wordContext::getRuleIndex() const {
  return MtfParser::RulePrecision_word;
}


MtfParser::Precision_wordContext* MtfParser::precision_word() {
  Precision_wordContext *_localctx = _tracker.createInstance<Precision_wordContext>(_ctx, getState());
  enterRule(_localctx, 124, MtfParser::RulePrecision_word);

  auto onExit = finally([=] {
    exitRule();
  });
  try {
    setState(773);
    _errHandler->sync(this);
    switch (_input->LA(1)) {
      case MtfParser::F32:
      case MtfParser::F64:
      case MtfParser::BF16:
      case MtfParser::I32:
      case MtfParser::BOOL: {
        enterOuterAlt(_localctx, 1);
        setState(771);
        element_type();
        break;
      }

      case MtfParser::IDENT: {
        enterOuterAlt(_localctx, 2);
        setState(772);
        match(MtfParser::IDENT);
        break;
      }

    default:
      throw NoViableAltException(this);
    }
   
  }
  catch (RecognitionException &e) {
    _errHandler->reportError(this, e);
    _localctx->exception = std::current_exception();
    _errHandler->recover(this, _localctx->exception);
  }

  return _localctx;
}

bool MtfParser::sempred(RuleContext *context, size_t ruleIndex, size_t predicateIndex) {
  switch (ruleIndex) {
    case 48: return exprSempred(dynamic_cast<ExprContext *>(context), predicateIndex);

  default:
    break;
  }
  return true;
}

bool MtfParser::exprSempred(ExprContext *_localctx, size_t predicateIndex) {
  switch (predicateIndex) {
    case 0: return precpred(_ctx, 10);
    case 1: return precpred(_ctx, 8);
    case 2: return precpred(_ctx, 7);
    case 3: return precpred(_ctx, 6);
    case 4: return precpred(_ctx, 5);
    case 5: return precpred(_ctx, 3);
    case 6: return precpred(_ctx, 2);
    case 7: return precpred(_ctx, 14);
    case 8: return precpred(_ctx, 13);
    case 9: return precpred(_ctx, 12);
    case 10: return precpred(_ctx, 11);

  default:
    break;
  }
  return true;
}

// Static vars and initialization.
std::vector<dfa::DFA> MtfParser::_decisionToDFA;
atn::PredictionContextCache MtfParser::_sharedContextCache;

// We own the ATN which in turn owns the ATN states.
atn::ATN MtfParser::_atn;
std::vector<uint16_t> MtfParser::_serializedATN;

std::vector<std::string> MtfParser::_ruleNames = {
  "program", "statement", "body", "block", "language_statement", "dim_statement", 
  "dim_item", "mesh_statement", "mesh_literal", "mesh_axis", "layout_statement", 
  "use_statement", "option_statement", "setting_statement", "with_statement", 
  "with_item", "seed_statement", "precision_statement", "import_statement", 
  "import_item", "let_statement", "param_statement", "fn_statement", "model_statement", 
  "for_statement", "while_statement", "break_statement", "continue_statement", 
  "return_statement", "assert_statement", "no_grad_statement", "expr_statement", 
  "pattern", "patterns", "parameters", "parameter", "annotation", "annotation_word", 
  "shape", "shape_item", "stored_type", "element_type", "layout_ref", "layout_literal", 
  "layout_item", "path", "path_with_index", "path_step", "expr", "primary", 
  "if_else", "parens", "list", "comprehension_loop", "list_item", "arguments", 
  "argument", "index_arguments", "index_argument", "string", "interpolation", 
  "any_word", "precision_word"
};

std::vector<std::string> MtfParser::_literalNames = {
  "", "", "", "", "", "", "'dim'", "'mesh'", "'layout'", "'use'", "'option'", 
  "'setting'", "'with'", "'seed'", "'precision'", "'import'", "'let'", "'param'", 
  "'state'", "'model'", "'fn'", "'for'", "'while'", "'if'", "'else'", "'break'", 
  "'continue'", "'return'", "'assert'", "'counters'", "'no_grad'", "'f32'", 
  "'f64'", "'bf16'", "'i32'", "'bool'", "'as'", "'in'", "'and'", "'or'", 
  "'not'", "'true'", "'false'", "'none'", "", "", "", "'''", "'('", "')'", 
  "'['", "']'", "'{'", "", "':='", "':'", "'->'", "'=='", "'!='", "'<='", 
  "'>='", "'<'", "'>'", "'='", "'//'", "'+'", "'-'", "'*'", "'/'", "'%'", 
  "'^'", "'@'", "'..'", "'.'", "','", "';'"
};

std::vector<std::string> MtfParser::_symbolicNames = {
  "", "INTERPOLATION_CLOSE", "FORMAT_COLON", "STRING_BROKEN", "LANGUAGE", 
  "COMMENT", "DIM", "MESH", "LAYOUT", "USE", "OPTION", "SETTING", "WITH", 
  "SEED", "PRECISION", "IMPORT", "LET", "PARAM", "STATE", "MODEL", "FN", 
  "FOR", "WHILE", "IF", "ELSE", "BREAK", "CONTINUE", "RETURN", "ASSERT", 
  "COUNTERS", "NO_GRAD", "F32", "F64", "BF16", "I32", "BOOL", "AS", "IN", 
  "AND", "OR", "NOT", "TRUE", "FALSE", "NONE", "IDENT", "FLOAT", "INT", 
  "PRIME", "LPAREN", "RPAREN", "LBRACKET", "RBRACKET", "LBRACE", "RBRACE", 
  "DEFINE", "COLON", "ARROW", "EQUAL", "NOT_EQUAL", "LESS_EQUAL", "GREATER_EQUAL", 
  "LESS", "GREATER", "ASSIGN", "FLOOR_DIVIDE", "PLUS", "MINUS", "STAR", 
  "SLASH", "PERCENT", "CARET", "AT", "DOTDOT", "DOT", "COMMA", "SEMICOLON", 
  "STRING_OPEN", "NEWLINE", "UNKNOWN", "STRING_TEXT", "STRING_CLOSE", "INTERPOLATION_OPEN", 
  "BAD_ESCAPE", "LONE_BRACE", "FORMAT_TEXT"
};

dfa::Vocabulary MtfParser::_vocabulary(_literalNames, _symbolicNames);

std::vector<std::string> MtfParser::_tokenNames;

MtfParser::Initializer::Initializer() {
	for (size_t i = 0; i < _symbolicNames.size(); ++i) {
		std::string name = _vocabulary.getLiteralName(i);
		if (name.empty()) {
			name = _vocabulary.getSymbolicName(i);
		}

		if (name.empty()) {
			_tokenNames.push_back("<INVALID>");
		} else {
      _tokenNames.push_back(name);
    }
	}

  _serializedATN = {
    0x3, 0x608b, 0xa72a, 0x8133, 0xb9ed, 0x417c, 0x3be7, 0x7786, 0x5964, 
    0x3, 0x56, 0x30a, 0x4, 0x2, 0x9, 0x2, 0x4, 0x3, 0x9, 0x3, 0x4, 0x4, 
    0x9, 0x4, 0x4, 0x5, 0x9, 0x5, 0x4, 0x6, 0x9, 0x6, 0x4, 0x7, 0x9, 0x7, 
    0x4, 0x8, 0x9, 0x8, 0x4, 0x9, 0x9, 0x9, 0x4, 0xa, 0x9, 0xa, 0x4, 0xb, 
    0x9, 0xb, 0x4, 0xc, 0x9, 0xc, 0x4, 0xd, 0x9, 0xd, 0x4, 0xe, 0x9, 0xe, 
    0x4, 0xf, 0x9, 0xf, 0x4, 0x10, 0x9, 0x10, 0x4, 0x11, 0x9, 0x11, 0x4, 
    0x12, 0x9, 0x12, 0x4, 0x13, 0x9, 0x13, 0x4, 0x14, 0x9, 0x14, 0x4, 0x15, 
    0x9, 0x15, 0x4, 0x16, 0x9, 0x16, 0x4, 0x17, 0x9, 0x17, 0x4, 0x18, 0x9, 
    0x18, 0x4, 0x19, 0x9, 0x19, 0x4, 0x1a, 0x9, 0x1a, 0x4, 0x1b, 0x9, 0x1b, 
    0x4, 0x1c, 0x9, 0x1c, 0x4, 0x1d, 0x9, 0x1d, 0x4, 0x1e, 0x9, 0x1e, 0x4, 
    0x1f, 0x9, 0x1f, 0x4, 0x20, 0x9, 0x20, 0x4, 0x21, 0x9, 0x21, 0x4, 0x22, 
    0x9, 0x22, 0x4, 0x23, 0x9, 0x23, 0x4, 0x24, 0x9, 0x24, 0x4, 0x25, 0x9, 
    0x25, 0x4, 0x26, 0x9, 0x26, 0x4, 0x27, 0x9, 0x27, 0x4, 0x28, 0x9, 0x28, 
    0x4, 0x29, 0x9, 0x29, 0x4, 0x2a, 0x9, 0x2a, 0x4, 0x2b, 0x9, 0x2b, 0x4, 
    0x2c, 0x9, 0x2c, 0x4, 0x2d, 0x9, 0x2d, 0x4, 0x2e, 0x9, 0x2e, 0x4, 0x2f, 
    0x9, 0x2f, 0x4, 0x30, 0x9, 0x30, 0x4, 0x31, 0x9, 0x31, 0x4, 0x32, 0x9, 
    0x32, 0x4, 0x33, 0x9, 0x33, 0x4, 0x34, 0x9, 0x34, 0x4, 0x35, 0x9, 0x35, 
    0x4, 0x36, 0x9, 0x36, 0x4, 0x37, 0x9, 0x37, 0x4, 0x38, 0x9, 0x38, 0x4, 
    0x39, 0x9, 0x39, 0x4, 0x3a, 0x9, 0x3a, 0x4, 0x3b, 0x9, 0x3b, 0x4, 0x3c, 
    0x9, 0x3c, 0x4, 0x3d, 0x9, 0x3d, 0x4, 0x3e, 0x9, 0x3e, 0x4, 0x3f, 0x9, 
    0x3f, 0x4, 0x40, 0x9, 0x40, 0x3, 0x2, 0x7, 0x2, 0x82, 0xa, 0x2, 0xc, 
    0x2, 0xe, 0x2, 0x85, 0xb, 0x2, 0x3, 0x2, 0x3, 0x2, 0x3, 0x3, 0x3, 0x3, 
    0x3, 0x3, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 
    0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 
    0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 
    0x3, 0x4, 0x3, 0x4, 0x3, 0x4, 0x5, 0x4, 0xa3, 0xa, 0x4, 0x3, 0x5, 0x3, 
    0x5, 0x7, 0x5, 0xa7, 0xa, 0x5, 0xc, 0x5, 0xe, 0x5, 0xaa, 0xb, 0x5, 0x3, 
    0x5, 0x3, 0x5, 0x3, 0x6, 0x3, 0x6, 0x3, 0x6, 0x3, 0x7, 0x3, 0x7, 0x3, 
    0x7, 0x3, 0x7, 0x7, 0x7, 0xb5, 0xa, 0x7, 0xc, 0x7, 0xe, 0x7, 0xb8, 0xb, 
    0x7, 0x3, 0x8, 0x3, 0x8, 0x3, 0x8, 0x3, 0x8, 0x3, 0x9, 0x3, 0x9, 0x3, 
    0x9, 0x3, 0x9, 0x3, 0x9, 0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 0x3, 0xa, 0x7, 
    0xa, 0xc7, 0xa, 0xa, 0xc, 0xa, 0xe, 0xa, 0xca, 0xb, 0xa, 0x3, 0xa, 0x5, 
    0xa, 0xcd, 0xa, 0xa, 0x5, 0xa, 0xcf, 0xa, 0xa, 0x3, 0xa, 0x3, 0xa, 0x3, 
    0xb, 0x3, 0xb, 0x3, 0xb, 0x3, 0xb, 0x3, 0xc, 0x3, 0xc, 0x3, 0xc, 0x3, 
    0xc, 0x3, 0xc, 0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 0x3, 0xd, 0x5, 0xd, 0xe0, 
    0xa, 0xd, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xe, 0x3, 0xf, 
    0x3, 0xf, 0x3, 0xf, 0x3, 0xf, 0x3, 0xf, 0x3, 0x10, 0x3, 0x10, 0x3, 0x10, 
    0x3, 0x10, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x5, 0x11, 0xf3, 0xa, 0x11, 
    0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x5, 0x11, 0xf8, 0xa, 0x11, 0x3, 0x11, 
    0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 0x11, 0x3, 
    0x11, 0x5, 0x11, 0x102, 0xa, 0x11, 0x3, 0x12, 0x3, 0x12, 0x3, 0x12, 
    0x3, 0x13, 0x3, 0x13, 0x3, 0x13, 0x3, 0x14, 0x3, 0x14, 0x3, 0x14, 0x3, 
    0x14, 0x7, 0x14, 0x10e, 0xa, 0x14, 0xc, 0x14, 0xe, 0x14, 0x111, 0xb, 
    0x14, 0x3, 0x15, 0x3, 0x15, 0x5, 0x15, 0x115, 0xa, 0x15, 0x3, 0x15, 
    0x3, 0x15, 0x5, 0x15, 0x119, 0xa, 0x15, 0x3, 0x16, 0x3, 0x16, 0x3, 0x16, 
    0x3, 0x16, 0x5, 0x16, 0x11f, 0xa, 0x16, 0x3, 0x16, 0x3, 0x16, 0x3, 0x16, 
    0x3, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x17, 0x5, 
    0x17, 0x12a, 0xa, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x17, 0x3, 0x18, 
    0x3, 0x18, 0x3, 0x18, 0x3, 0x18, 0x5, 0x18, 0x133, 0xa, 0x18, 0x3, 0x18, 
    0x3, 0x18, 0x3, 0x18, 0x5, 0x18, 0x138, 0xa, 0x18, 0x3, 0x18, 0x3, 0x18, 
    0x3, 0x18, 0x5, 0x18, 0x13d, 0xa, 0x18, 0x3, 0x19, 0x3, 0x19, 0x3, 0x19, 
    0x3, 0x19, 0x5, 0x19, 0x143, 0xa, 0x19, 0x3, 0x19, 0x5, 0x19, 0x146, 
    0xa, 0x19, 0x3, 0x19, 0x3, 0x19, 0x3, 0x1a, 0x3, 0x1a, 0x3, 0x1a, 0x3, 
    0x1a, 0x3, 0x1a, 0x3, 0x1a, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 0x3, 0x1b, 
    0x3, 0x1c, 0x3, 0x1c, 0x3, 0x1d, 0x3, 0x1d, 0x3, 0x1e, 0x3, 0x1e, 0x3, 
    0x1e, 0x3, 0x1e, 0x7, 0x1e, 0x15c, 0xa, 0x1e, 0xc, 0x1e, 0xe, 0x1e, 
    0x15f, 0xb, 0x1e, 0x5, 0x1e, 0x161, 0xa, 0x1e, 0x3, 0x1f, 0x3, 0x1f, 
    0x3, 0x1f, 0x3, 0x1f, 0x5, 0x1f, 0x167, 0xa, 0x1f, 0x3, 0x20, 0x3, 0x20, 
    0x3, 0x20, 0x3, 0x21, 0x3, 0x21, 0x3, 0x21, 0x5, 0x21, 0x16f, 0xa, 0x21, 
    0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x3, 0x22, 0x6, 0x22, 0x176, 
    0xa, 0x22, 0xd, 0x22, 0xe, 0x22, 0x177, 0x3, 0x22, 0x5, 0x22, 0x17b, 
    0xa, 0x22, 0x3, 0x22, 0x3, 0x22, 0x5, 0x22, 0x17f, 0xa, 0x22, 0x3, 0x23, 
    0x3, 0x23, 0x3, 0x23, 0x7, 0x23, 0x184, 0xa, 0x23, 0xc, 0x23, 0xe, 0x23, 
    0x187, 0xb, 0x23, 0x3, 0x24, 0x3, 0x24, 0x3, 0x24, 0x7, 0x24, 0x18c, 
    0xa, 0x24, 0xc, 0x24, 0xe, 0x24, 0x18f, 0xb, 0x24, 0x3, 0x24, 0x5, 0x24, 
    0x192, 0xa, 0x24, 0x3, 0x25, 0x3, 0x25, 0x3, 0x25, 0x5, 0x25, 0x197, 
    0xa, 0x25, 0x3, 0x25, 0x3, 0x25, 0x5, 0x25, 0x19b, 0xa, 0x25, 0x3, 0x26, 
    0x3, 0x26, 0x5, 0x26, 0x19f, 0xa, 0x26, 0x3, 0x27, 0x3, 0x27, 0x3, 0x27, 
    0x3, 0x27, 0x3, 0x27, 0x5, 0x27, 0x1a6, 0xa, 0x27, 0x3, 0x28, 0x5, 0x28, 
    0x1a9, 0xa, 0x28, 0x3, 0x28, 0x3, 0x28, 0x3, 0x28, 0x3, 0x28, 0x7, 0x28, 
    0x1af, 0xa, 0x28, 0xc, 0x28, 0xe, 0x28, 0x1b2, 0xb, 0x28, 0x3, 0x28, 
    0x5, 0x28, 0x1b5, 0xa, 0x28, 0x5, 0x28, 0x1b7, 0xa, 0x28, 0x3, 0x28, 
    0x3, 0x28, 0x3, 0x29, 0x3, 0x29, 0x5, 0x29, 0x1bd, 0xa, 0x29, 0x3, 0x2a, 
    0x3, 0x2a, 0x5, 0x2a, 0x1c1, 0xa, 0x2a, 0x3, 0x2a, 0x3, 0x2a, 0x5, 0x2a, 
    0x1c5, 0xa, 0x2a, 0x3, 0x2b, 0x3, 0x2b, 0x3, 0x2c, 0x3, 0x2c, 0x3, 0x2c, 
    0x3, 0x2c, 0x5, 0x2c, 0x1cd, 0xa, 0x2c, 0x5, 0x2c, 0x1cf, 0xa, 0x2c, 
    0x3, 0x2d, 0x3, 0x2d, 0x3, 0x2d, 0x3, 0x2d, 0x7, 0x2d, 0x1d5, 0xa, 0x2d, 
    0xc, 0x2d, 0xe, 0x2d, 0x1d8, 0xb, 0x2d, 0x3, 0x2d, 0x5, 0x2d, 0x1db, 
    0xa, 0x2d, 0x5, 0x2d, 0x1dd, 0xa, 0x2d, 0x3, 0x2d, 0x3, 0x2d, 0x3, 0x2e, 
    0x3, 0x2e, 0x3, 0x2e, 0x7, 0x2e, 0x1e4, 0xa, 0x2e, 0xc, 0x2e, 0xe, 0x2e, 
    0x1e7, 0xb, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 
    0x3, 0x2e, 0x7, 0x2e, 0x1ef, 0xa, 0x2e, 0xc, 0x2e, 0xe, 0x2e, 0x1f2, 
    0xb, 0x2e, 0x3, 0x2e, 0x5, 0x2e, 0x1f5, 0xa, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 
    0x5, 0x2e, 0x1f9, 0xa, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 0x3, 0x2e, 
    0x3, 0x2e, 0x5, 0x2e, 0x200, 0xa, 0x2e, 0x3, 0x2f, 0x3, 0x2f, 0x3, 0x2f, 
    0x7, 0x2f, 0x205, 0xa, 0x2f, 0xc, 0x2f, 0xe, 0x2f, 0x208, 0xb, 0x2f, 
    0x3, 0x30, 0x3, 0x30, 0x7, 0x30, 0x20c, 0xa, 0x30, 0xc, 0x30, 0xe, 0x30, 
    0x20f, 0xb, 0x30, 0x3, 0x31, 0x3, 0x31, 0x3, 0x31, 0x3, 0x31, 0x3, 0x31, 
    0x3, 0x31, 0x5, 0x31, 0x217, 0xa, 0x31, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 
    0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x5, 
    0x32, 0x222, 0xa, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x5, 0x32, 
    0x227, 0xa, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x5, 0x32, 0x22c, 
    0xa, 0x32, 0x5, 0x32, 0x22e, 0xa, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 
    0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 
    0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 
    0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 
    0x32, 0x3, 0x32, 0x5, 0x32, 0x248, 0xa, 0x32, 0x3, 0x32, 0x3, 0x32, 
    0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 
    0x32, 0x3, 0x32, 0x3, 0x32, 0x3, 0x32, 0x7, 0x32, 0x256, 0xa, 0x32, 
    0xc, 0x32, 0xe, 0x32, 0x259, 0xb, 0x32, 0x3, 0x33, 0x3, 0x33, 0x7, 0x33, 
    0x25d, 0xa, 0x33, 0xc, 0x33, 0xe, 0x33, 0x260, 0xb, 0x33, 0x3, 0x33, 
    0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 
    0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x3, 0x33, 0x5, 0x33, 0x26e, 
    0xa, 0x33, 0x3, 0x34, 0x3, 0x34, 0x3, 0x34, 0x3, 0x34, 0x3, 0x34, 0x3, 
    0x34, 0x3, 0x34, 0x3, 0x34, 0x7, 0x34, 0x278, 0xa, 0x34, 0xc, 0x34, 
    0xe, 0x34, 0x27b, 0xb, 0x34, 0x3, 0x34, 0x3, 0x34, 0x5, 0x34, 0x27f, 
    0xa, 0x34, 0x3, 0x35, 0x3, 0x35, 0x3, 0x35, 0x3, 0x35, 0x7, 0x35, 0x285, 
    0xa, 0x35, 0xc, 0x35, 0xe, 0x35, 0x288, 0xb, 0x35, 0x3, 0x35, 0x5, 0x35, 
    0x28b, 0xa, 0x35, 0x3, 0x35, 0x3, 0x35, 0x3, 0x36, 0x3, 0x36, 0x3, 0x36, 
    0x6, 0x36, 0x292, 0xa, 0x36, 0xd, 0x36, 0xe, 0x36, 0x293, 0x3, 0x36, 
    0x3, 0x36, 0x7, 0x36, 0x298, 0xa, 0x36, 0xc, 0x36, 0xe, 0x36, 0x29b, 
    0xb, 0x36, 0x3, 0x36, 0x5, 0x36, 0x29e, 0xa, 0x36, 0x5, 0x36, 0x2a0, 
    0xa, 0x36, 0x5, 0x36, 0x2a2, 0xa, 0x36, 0x3, 0x36, 0x3, 0x36, 0x3, 0x37, 
    0x3, 0x37, 0x3, 0x37, 0x3, 0x37, 0x3, 0x37, 0x3, 0x37, 0x7, 0x37, 0x2ac, 
    0xa, 0x37, 0xc, 0x37, 0xe, 0x37, 0x2af, 0xb, 0x37, 0x3, 0x38, 0x3, 0x38, 
    0x5, 0x38, 0x2b3, 0xa, 0x38, 0x3, 0x39, 0x3, 0x39, 0x3, 0x39, 0x7, 0x39, 
    0x2b8, 0xa, 0x39, 0xc, 0x39, 0xe, 0x39, 0x2bb, 0xb, 0x39, 0x3, 0x39, 
    0x5, 0x39, 0x2be, 0xa, 0x39, 0x3, 0x3a, 0x3, 0x3a, 0x7, 0x3a, 0x2c2, 
    0xa, 0x3a, 0xc, 0x3a, 0xe, 0x3a, 0x2c5, 0xb, 0x3a, 0x3, 0x3a, 0x3, 0x3a, 
    0x5, 0x3a, 0x2c9, 0xa, 0x3a, 0x3, 0x3a, 0x3, 0x3a, 0x3, 0x3a, 0x5, 0x3a, 
    0x2ce, 0xa, 0x3a, 0x3, 0x3b, 0x3, 0x3b, 0x3, 0x3b, 0x7, 0x3b, 0x2d3, 
    0xa, 0x3b, 0xc, 0x3b, 0xe, 0x3b, 0x2d6, 0xb, 0x3b, 0x3, 0x3b, 0x5, 0x3b, 
    0x2d9, 0xa, 0x3b, 0x3, 0x3c, 0x3, 0x3c, 0x7, 0x3c, 0x2dd, 0xa, 0x3c, 
    0xc, 0x3c, 0xe, 0x3c, 0x2e0, 0xb, 0x3c, 0x3, 0x3c, 0x3, 0x3c, 0x5, 0x3c, 
    0x2e4, 0xa, 0x3c, 0x3, 0x3c, 0x3, 0x3c, 0x5, 0x3c, 0x2e8, 0xa, 0x3c, 
    0x3, 0x3c, 0x3, 0x3c, 0x5, 0x3c, 0x2ec, 0xa, 0x3c, 0x5, 0x3c, 0x2ee, 
    0xa, 0x3c, 0x3, 0x3d, 0x3, 0x3d, 0x3, 0x3d, 0x7, 0x3d, 0x2f3, 0xa, 0x3d, 
    0xc, 0x3d, 0xe, 0x3d, 0x2f6, 0xb, 0x3d, 0x3, 0x3d, 0x3, 0x3d, 0x3, 0x3e, 
    0x3, 0x3e, 0x3, 0x3e, 0x3, 0x3e, 0x5, 0x3e, 0x2fe, 0xa, 0x3e, 0x5, 0x3e, 
    0x300, 0xa, 0x3e, 0x3, 0x3e, 0x3, 0x3e, 0x3, 0x3f, 0x3, 0x3f, 0x3, 0x40, 
    0x3, 0x40, 0x5, 0x40, 0x308, 0xa, 0x40, 0x3, 0x40, 0x2, 0x3, 0x62, 0x41, 
    0x2, 0x4, 0x6, 0x8, 0xa, 0xc, 0xe, 0x10, 0x12, 0x14, 0x16, 0x18, 0x1a, 
    0x1c, 0x1e, 0x20, 0x22, 0x24, 0x26, 0x28, 0x2a, 0x2c, 0x2e, 0x30, 0x32, 
    0x34, 0x36, 0x38, 0x3a, 0x3c, 0x3e, 0x40, 0x42, 0x44, 0x46, 0x48, 0x4a, 
    0x4c, 0x4e, 0x50, 0x52, 0x54, 0x56, 0x58, 0x5a, 0x5c, 0x5e, 0x60, 0x62, 
    0x64, 0x66, 0x68, 0x6a, 0x6c, 0x6e, 0x70, 0x72, 0x74, 0x76, 0x78, 0x7a, 
    0x7c, 0x7e, 0x2, 0x8, 0x3, 0x2, 0x13, 0x14, 0x3, 0x2, 0x21, 0x25, 0x4, 
    0x2, 0x42, 0x42, 0x45, 0x47, 0x3, 0x2, 0x43, 0x44, 0x4, 0x2, 0x27, 0x27, 
    0x3b, 0x40, 0x3, 0x2, 0x8, 0x2e, 0x2, 0x358, 0x2, 0x83, 0x3, 0x2, 0x2, 
    0x2, 0x4, 0x88, 0x3, 0x2, 0x2, 0x2, 0x6, 0xa2, 0x3, 0x2, 0x2, 0x2, 0x8, 
    0xa4, 0x3, 0x2, 0x2, 0x2, 0xa, 0xad, 0x3, 0x2, 0x2, 0x2, 0xc, 0xb0, 
    0x3, 0x2, 0x2, 0x2, 0xe, 0xb9, 0x3, 0x2, 0x2, 0x2, 0x10, 0xbd, 0x3, 
    0x2, 0x2, 0x2, 0x12, 0xc2, 0x3, 0x2, 0x2, 0x2, 0x14, 0xd2, 0x3, 0x2, 
    0x2, 0x2, 0x16, 0xd6, 0x3, 0x2, 0x2, 0x2, 0x18, 0xdb, 0x3, 0x2, 0x2, 
    0x2, 0x1a, 0xe1, 0x3, 0x2, 0x2, 0x2, 0x1c, 0xe6, 0x3, 0x2, 0x2, 0x2, 
    0x1e, 0xeb, 0x3, 0x2, 0x2, 0x2, 0x20, 0x101, 0x3, 0x2, 0x2, 0x2, 0x22, 
    0x103, 0x3, 0x2, 0x2, 0x2, 0x24, 0x106, 0x3, 0x2, 0x2, 0x2, 0x26, 0x109, 
    0x3, 0x2, 0x2, 0x2, 0x28, 0x114, 0x3, 0x2, 0x2, 0x2, 0x2a, 0x11a, 0x3, 
    0x2, 0x2, 0x2, 0x2c, 0x123, 0x3, 0x2, 0x2, 0x2, 0x2e, 0x12e, 0x3, 0x2, 
    0x2, 0x2, 0x30, 0x13e, 0x3, 0x2, 0x2, 0x2, 0x32, 0x149, 0x3, 0x2, 0x2, 
    0x2, 0x34, 0x14f, 0x3, 0x2, 0x2, 0x2, 0x36, 0x153, 0x3, 0x2, 0x2, 0x2, 
    0x38, 0x155, 0x3, 0x2, 0x2, 0x2, 0x3a, 0x157, 0x3, 0x2, 0x2, 0x2, 0x3c, 
    0x162, 0x3, 0x2, 0x2, 0x2, 0x3e, 0x168, 0x3, 0x2, 0x2, 0x2, 0x40, 0x16b, 
    0x3, 0x2, 0x2, 0x2, 0x42, 0x17e, 0x3, 0x2, 0x2, 0x2, 0x44, 0x180, 0x3, 
    0x2, 0x2, 0x2, 0x46, 0x188, 0x3, 0x2, 0x2, 0x2, 0x48, 0x193, 0x3, 0x2, 
    0x2, 0x2, 0x4a, 0x19e, 0x3, 0x2, 0x2, 0x2, 0x4c, 0x1a5, 0x3, 0x2, 0x2, 
    0x2, 0x4e, 0x1a8, 0x3, 0x2, 0x2, 0x2, 0x50, 0x1bc, 0x3, 0x2, 0x2, 0x2, 
    0x52, 0x1c4, 0x3, 0x2, 0x2, 0x2, 0x54, 0x1c6, 0x3, 0x2, 0x2, 0x2, 0x56, 
    0x1ce, 0x3, 0x2, 0x2, 0x2, 0x58, 0x1d0, 0x3, 0x2, 0x2, 0x2, 0x5a, 0x1ff, 
    0x3, 0x2, 0x2, 0x2, 0x5c, 0x201, 0x3, 0x2, 0x2, 0x2, 0x5e, 0x209, 0x3, 
    0x2, 0x2, 0x2, 0x60, 0x216, 0x3, 0x2, 0x2, 0x2, 0x62, 0x22d, 0x3, 0x2, 
    0x2, 0x2, 0x64, 0x26d, 0x3, 0x2, 0x2, 0x2, 0x66, 0x26f, 0x3, 0x2, 0x2, 
    0x2, 0x68, 0x280, 0x3, 0x2, 0x2, 0x2, 0x6a, 0x28e, 0x3, 0x2, 0x2, 0x2, 
    0x6c, 0x2a5, 0x3, 0x2, 0x2, 0x2, 0x6e, 0x2b2, 0x3, 0x2, 0x2, 0x2, 0x70, 
    0x2b4, 0x3, 0x2, 0x2, 0x2, 0x72, 0x2c8, 0x3, 0x2, 0x2, 0x2, 0x74, 0x2cf, 
    0x3, 0x2, 0x2, 0x2, 0x76, 0x2e3, 0x3, 0x2, 0x2, 0x2, 0x78, 0x2ef, 0x3, 
    0x2, 0x2, 0x2, 0x7a, 0x2f9, 0x3, 0x2, 0x2, 0x2, 0x7c, 0x303, 0x3, 0x2, 
    0x2, 0x2, 0x7e, 0x307, 0x3, 0x2, 0x2, 0x2, 0x80, 0x82, 0x5, 0x4, 0x3, 
    0x2, 0x81, 0x80, 0x3, 0x2, 0x2, 0x2, 0x82, 0x85, 0x3, 0x2, 0x2, 0x2, 
    0x83, 0x81, 0x3, 0x2, 0x2, 0x2, 0x83, 0x84, 0x3, 0x2, 0x2, 0x2, 0x84, 
    0x86, 0x3, 0x2, 0x2, 0x2, 0x85, 0x83, 0x3, 0x2, 0x2, 0x2, 0x86, 0x87, 
    0x7, 0x2, 0x2, 0x3, 0x87, 0x3, 0x3, 0x2, 0x2, 0x2, 0x88, 0x89, 0x5, 
    0x6, 0x4, 0x2, 0x89, 0x8a, 0x7, 0x4f, 0x2, 0x2, 0x8a, 0x5, 0x3, 0x2, 
    0x2, 0x2, 0x8b, 0xa3, 0x5, 0xa, 0x6, 0x2, 0x8c, 0xa3, 0x5, 0xc, 0x7, 
    0x2, 0x8d, 0xa3, 0x5, 0x10, 0x9, 0x2, 0x8e, 0xa3, 0x5, 0x16, 0xc, 0x2, 
    0x8f, 0xa3, 0x5, 0x18, 0xd, 0x2, 0x90, 0xa3, 0x5, 0x1a, 0xe, 0x2, 0x91, 
    0xa3, 0x5, 0x1c, 0xf, 0x2, 0x92, 0xa3, 0x5, 0x1e, 0x10, 0x2, 0x93, 0xa3, 
    0x5, 0x22, 0x12, 0x2, 0x94, 0xa3, 0x5, 0x24, 0x13, 0x2, 0x95, 0xa3, 
    0x5, 0x26, 0x14, 0x2, 0x96, 0xa3, 0x5, 0x2a, 0x16, 0x2, 0x97, 0xa3, 
    0x5, 0x2c, 0x17, 0x2, 0x98, 0xa3, 0x5, 0x2e, 0x18, 0x2, 0x99, 0xa3, 
    0x5, 0x30, 0x19, 0x2, 0x9a, 0xa3, 0x5, 0x32, 0x1a, 0x2, 0x9b, 0xa3, 
    0x5, 0x34, 0x1b, 0x2, 0x9c, 0xa3, 0x5, 0x36, 0x1c, 0x2, 0x9d, 0xa3, 
    0x5, 0x38, 0x1d, 0x2, 0x9e, 0xa3, 0x5, 0x3a, 0x1e, 0x2, 0x9f, 0xa3, 
    0x5, 0x3c, 0x1f, 0x2, 0xa0, 0xa3, 0x5, 0x3e, 0x20, 0x2, 0xa1, 0xa3, 
    0x5, 0x40, 0x21, 0x2, 0xa2, 0x8b, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x8c, 0x3, 
    0x2, 0x2, 0x2, 0xa2, 0x8d, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x8e, 0x3, 0x2, 
    0x2, 0x2, 0xa2, 0x8f, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x90, 0x3, 0x2, 0x2, 
    0x2, 0xa2, 0x91, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x92, 0x3, 0x2, 0x2, 0x2, 
    0xa2, 0x93, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x94, 0x3, 0x2, 0x2, 0x2, 0xa2, 
    0x95, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x96, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x97, 
    0x3, 0x2, 0x2, 0x2, 0xa2, 0x98, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x99, 0x3, 
    0x2, 0x2, 0x2, 0xa2, 0x9a, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x9b, 0x3, 0x2, 
    0x2, 0x2, 0xa2, 0x9c, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x9d, 0x3, 0x2, 0x2, 
    0x2, 0xa2, 0x9e, 0x3, 0x2, 0x2, 0x2, 0xa2, 0x9f, 0x3, 0x2, 0x2, 0x2, 
    0xa2, 0xa0, 0x3, 0x2, 0x2, 0x2, 0xa2, 0xa1, 0x3, 0x2, 0x2, 0x2, 0xa3, 
    0x7, 0x3, 0x2, 0x2, 0x2, 0xa4, 0xa8, 0x7, 0x36, 0x2, 0x2, 0xa5, 0xa7, 
    0x5, 0x4, 0x3, 0x2, 0xa6, 0xa5, 0x3, 0x2, 0x2, 0x2, 0xa7, 0xaa, 0x3, 
    0x2, 0x2, 0x2, 0xa8, 0xa6, 0x3, 0x2, 0x2, 0x2, 0xa8, 0xa9, 0x3, 0x2, 
    0x2, 0x2, 0xa9, 0xab, 0x3, 0x2, 0x2, 0x2, 0xaa, 0xa8, 0x3, 0x2, 0x2, 
    0x2, 0xab, 0xac, 0x7, 0x37, 0x2, 0x2, 0xac, 0x9, 0x3, 0x2, 0x2, 0x2, 
    0xad, 0xae, 0x7, 0x6, 0x2, 0x2, 0xae, 0xaf, 0x7, 0x30, 0x2, 0x2, 0xaf, 
    0xb, 0x3, 0x2, 0x2, 0x2, 0xb0, 0xb1, 0x7, 0x8, 0x2, 0x2, 0xb1, 0xb6, 
    0x5, 0xe, 0x8, 0x2, 0xb2, 0xb3, 0x7, 0x4c, 0x2, 0x2, 0xb3, 0xb5, 0x5, 
    0xe, 0x8, 0x2, 0xb4, 0xb2, 0x3, 0x2, 0x2, 0x2, 0xb5, 0xb8, 0x3, 0x2, 
    0x2, 0x2, 0xb6, 0xb4, 0x3, 0x2, 0x2, 0x2, 0xb6, 0xb7, 0x3, 0x2, 0x2, 
    0x2, 0xb7, 0xd, 0x3, 0x2, 0x2, 0x2, 0xb8, 0xb6, 0x3, 0x2, 0x2, 0x2, 
    0xb9, 0xba, 0x7, 0x2e, 0x2, 0x2, 0xba, 0xbb, 0x7, 0x41, 0x2, 0x2, 0xbb, 
    0xbc, 0x5, 0x62, 0x32, 0x2, 0xbc, 0xf, 0x3, 0x2, 0x2, 0x2, 0xbd, 0xbe, 
    0x7, 0x9, 0x2, 0x2, 0xbe, 0xbf, 0x7, 0x2e, 0x2, 0x2, 0xbf, 0xc0, 0x7, 
    0x41, 0x2, 0x2, 0xc0, 0xc1, 0x5, 0x12, 0xa, 0x2, 0xc1, 0x11, 0x3, 0x2, 
    0x2, 0x2, 0xc2, 0xce, 0x7, 0x34, 0x2, 0x2, 0xc3, 0xc8, 0x5, 0x14, 0xb, 
    0x2, 0xc4, 0xc5, 0x7, 0x4c, 0x2, 0x2, 0xc5, 0xc7, 0x5, 0x14, 0xb, 0x2, 
    0xc6, 0xc4, 0x3, 0x2, 0x2, 0x2, 0xc7, 0xca, 0x3, 0x2, 0x2, 0x2, 0xc8, 
    0xc6, 0x3, 0x2, 0x2, 0x2, 0xc8, 0xc9, 0x3, 0x2, 0x2, 0x2, 0xc9, 0xcc, 
    0x3, 0x2, 0x2, 0x2, 0xca, 0xc8, 0x3, 0x2, 0x2, 0x2, 0xcb, 0xcd, 0x7, 
    0x4c, 0x2, 0x2, 0xcc, 0xcb, 0x3, 0x2, 0x2, 0x2, 0xcc, 0xcd, 0x3, 0x2, 
    0x2, 0x2, 0xcd, 0xcf, 0x3, 0x2, 0x2, 0x2, 0xce, 0xc3, 0x3, 0x2, 0x2, 
    0x2, 0xce, 0xcf, 0x3, 0x2, 0x2, 0x2, 0xcf, 0xd0, 0x3, 0x2, 0x2, 0x2, 
    0xd0, 0xd1, 0x7, 0x35, 0x2, 0x2, 0xd1, 0x13, 0x3, 0x2, 0x2, 0x2, 0xd2, 
    0xd3, 0x5, 0x7c, 0x3f, 0x2, 0xd3, 0xd4, 0x7, 0x39, 0x2, 0x2, 0xd4, 0xd5, 
    0x5, 0x62, 0x32, 0x2, 0xd5, 0x15, 0x3, 0x2, 0x2, 0x2, 0xd6, 0xd7, 0x7, 
    0xa, 0x2, 0x2, 0xd7, 0xd8, 0x7, 0x2e, 0x2, 0x2, 0xd8, 0xd9, 0x7, 0x41, 
    0x2, 0x2, 0xd9, 0xda, 0x5, 0x58, 0x2d, 0x2, 0xda, 0x17, 0x3, 0x2, 0x2, 
    0x2, 0xdb, 0xdf, 0x7, 0xb, 0x2, 0x2, 0xdc, 0xe0, 0x5, 0x5c, 0x2f, 0x2, 
    0xdd, 0xe0, 0x5, 0x58, 0x2d, 0x2, 0xde, 0xe0, 0x5, 0x12, 0xa, 0x2, 0xdf, 
    0xdc, 0x3, 0x2, 0x2, 0x2, 0xdf, 0xdd, 0x3, 0x2, 0x2, 0x2, 0xdf, 0xde, 
    0x3, 0x2, 0x2, 0x2, 0xe0, 0x19, 0x3, 0x2, 0x2, 0x2, 0xe1, 0xe2, 0x7, 
    0xc, 0x2, 0x2, 0xe2, 0xe3, 0x7, 0x2e, 0x2, 0x2, 0xe3, 0xe4, 0x7, 0x41, 
    0x2, 0x2, 0xe4, 0xe5, 0x5, 0x62, 0x32, 0x2, 0xe5, 0x1b, 0x3, 0x2, 0x2, 
    0x2, 0xe6, 0xe7, 0x7, 0xd, 0x2, 0x2, 0xe7, 0xe8, 0x7, 0x2e, 0x2, 0x2, 
    0xe8, 0xe9, 0x7, 0x41, 0x2, 0x2, 0xe9, 0xea, 0x5, 0x62, 0x32, 0x2, 0xea, 
    0x1d, 0x3, 0x2, 0x2, 0x2, 0xeb, 0xec, 0x7, 0xe, 0x2, 0x2, 0xec, 0xed, 
    0x5, 0x20, 0x11, 0x2, 0xed, 0xee, 0x5, 0x8, 0x5, 0x2, 0xee, 0x1f, 0x3, 
    0x2, 0x2, 0x2, 0xef, 0xf2, 0x7, 0xa, 0x2, 0x2, 0xf0, 0xf3, 0x5, 0x5c, 
    0x2f, 0x2, 0xf1, 0xf3, 0x5, 0x58, 0x2d, 0x2, 0xf2, 0xf0, 0x3, 0x2, 0x2, 
    0x2, 0xf2, 0xf1, 0x3, 0x2, 0x2, 0x2, 0xf3, 0x102, 0x3, 0x2, 0x2, 0x2, 
    0xf4, 0xf7, 0x7, 0x9, 0x2, 0x2, 0xf5, 0xf8, 0x5, 0x5c, 0x2f, 0x2, 0xf6, 
    0xf8, 0x5, 0x12, 0xa, 0x2, 0xf7, 0xf5, 0x3, 0x2, 0x2, 0x2, 0xf7, 0xf6, 
    0x3, 0x2, 0x2, 0x2, 0xf8, 0x102, 0x3, 0x2, 0x2, 0x2, 0xf9, 0xfa, 0x7, 
    0x10, 0x2, 0x2, 0xfa, 0x102, 0x5, 0x7e, 0x40, 0x2, 0xfb, 0xfc, 0x7, 
    0xf, 0x2, 0x2, 0xfc, 0x102, 0x5, 0x62, 0x32, 0x2, 0xfd, 0xfe, 0x5, 0x5c, 
    0x2f, 0x2, 0xfe, 0xff, 0x7, 0x41, 0x2, 0x2, 0xff, 0x100, 0x5, 0x62, 
    0x32, 0x2, 0x100, 0x102, 0x3, 0x2, 0x2, 0x2, 0x101, 0xef, 0x3, 0x2, 
    0x2, 0x2, 0x101, 0xf4, 0x3, 0x2, 0x2, 0x2, 0x101, 0xf9, 0x3, 0x2, 0x2, 
    0x2, 0x101, 0xfb, 0x3, 0x2, 0x2, 0x2, 0x101, 0xfd, 0x3, 0x2, 0x2, 0x2, 
    0x102, 0x21, 0x3, 0x2, 0x2, 0x2, 0x103, 0x104, 0x7, 0xf, 0x2, 0x2, 0x104, 
    0x105, 0x5, 0x62, 0x32, 0x2, 0x105, 0x23, 0x3, 0x2, 0x2, 0x2, 0x106, 
    0x107, 0x7, 0x10, 0x2, 0x2, 0x107, 0x108, 0x5, 0x7e, 0x40, 0x2, 0x108, 
    0x25, 0x3, 0x2, 0x2, 0x2, 0x109, 0x10a, 0x7, 0x11, 0x2, 0x2, 0x10a, 
    0x10f, 0x5, 0x28, 0x15, 0x2, 0x10b, 0x10c, 0x7, 0x4c, 0x2, 0x2, 0x10c, 
    0x10e, 0x5, 0x28, 0x15, 0x2, 0x10d, 0x10b, 0x3, 0x2, 0x2, 0x2, 0x10e, 
    0x111, 0x3, 0x2, 0x2, 0x2, 0x10f, 0x10d, 0x3, 0x2, 0x2, 0x2, 0x10f, 
    0x110, 0x3, 0x2, 0x2, 0x2, 0x110, 0x27, 0x3, 0x2, 0x2, 0x2, 0x111, 0x10f, 
    0x3, 0x2, 0x2, 0x2, 0x112, 0x115, 0x7, 0x2e, 0x2, 0x2, 0x113, 0x115, 
    0x5, 0x78, 0x3d, 0x2, 0x114, 0x112, 0x3, 0x2, 0x2, 0x2, 0x114, 0x113, 
    0x3, 0x2, 0x2, 0x2, 0x115, 0x118, 0x3, 0x2, 0x2, 0x2, 0x116, 0x117, 
    0x7, 0x26, 0x2, 0x2, 0x117, 0x119, 0x7, 0x2e, 0x2, 0x2, 0x118, 0x116, 
    0x3, 0x2, 0x2, 0x2, 0x118, 0x119, 0x3, 0x2, 0x2, 0x2, 0x119, 0x29, 0x3, 
    0x2, 0x2, 0x2, 0x11a, 0x11b, 0x7, 0x12, 0x2, 0x2, 0x11b, 0x11e, 0x5, 
    0x44, 0x23, 0x2, 0x11c, 0x11d, 0x7, 0x39, 0x2, 0x2, 0x11d, 0x11f, 0x5, 
    0x4a, 0x26, 0x2, 0x11e, 0x11c, 0x3, 0x2, 0x2, 0x2, 0x11e, 0x11f, 0x3, 
    0x2, 0x2, 0x2, 0x11f, 0x120, 0x3, 0x2, 0x2, 0x2, 0x120, 0x121, 0x7, 
    0x41, 0x2, 0x2, 0x121, 0x122, 0x5, 0x62, 0x32, 0x2, 0x122, 0x2b, 0x3, 
    0x2, 0x2, 0x2, 0x123, 0x124, 0x9, 0x2, 0x2, 0x2, 0x124, 0x125, 0x7, 
    0x2e, 0x2, 0x2, 0x125, 0x126, 0x7, 0x39, 0x2, 0x2, 0x126, 0x129, 0x5, 
    0x52, 0x2a, 0x2, 0x127, 0x128, 0x7, 0x49, 0x2, 0x2, 0x128, 0x12a, 0x5, 
    0x56, 0x2c, 0x2, 0x129, 0x127, 0x3, 0x2, 0x2, 0x2, 0x129, 0x12a, 0x3, 
    0x2, 0x2, 0x2, 0x12a, 0x12b, 0x3, 0x2, 0x2, 0x2, 0x12b, 0x12c, 0x7, 
    0x41, 0x2, 0x2, 0x12c, 0x12d, 0x5, 0x62, 0x32, 0x2, 0x12d, 0x2d, 0x3, 
    0x2, 0x2, 0x2, 0x12e, 0x12f, 0x7, 0x16, 0x2, 0x2, 0x12f, 0x130, 0x7, 
    0x2e, 0x2, 0x2, 0x130, 0x132, 0x7, 0x32, 0x2, 0x2, 0x131, 0x133, 0x5, 
    0x46, 0x24, 0x2, 0x132, 0x131, 0x3, 0x2, 0x2, 0x2, 0x132, 0x133, 0x3, 
    0x2, 0x2, 0x2, 0x133, 0x134, 0x3, 0x2, 0x2, 0x2, 0x134, 0x137, 0x7, 
    0x33, 0x2, 0x2, 0x135, 0x136, 0x7, 0x3a, 0x2, 0x2, 0x136, 0x138, 0x5, 
    0x4a, 0x26, 0x2, 0x137, 0x135, 0x3, 0x2, 0x2, 0x2, 0x137, 0x138, 0x3, 
    0x2, 0x2, 0x2, 0x138, 0x13c, 0x3, 0x2, 0x2, 0x2, 0x139, 0x13d, 0x5, 
    0x8, 0x5, 0x2, 0x13a, 0x13b, 0x7, 0x41, 0x2, 0x2, 0x13b, 0x13d, 0x5, 
    0x62, 0x32, 0x2, 0x13c, 0x139, 0x3, 0x2, 0x2, 0x2, 0x13c, 0x13a, 0x3, 
    0x2, 0x2, 0x2, 0x13d, 0x2f, 0x3, 0x2, 0x2, 0x2, 0x13e, 0x13f, 0x7, 0x15, 
    0x2, 0x2, 0x13f, 0x145, 0x7, 0x2e, 0x2, 0x2, 0x140, 0x142, 0x7, 0x32, 
    0x2, 0x2, 0x141, 0x143, 0x5, 0x46, 0x24, 0x2, 0x142, 0x141, 0x3, 0x2, 
    0x2, 0x2, 0x142, 0x143, 0x3, 0x2, 0x2, 0x2, 0x143, 0x144, 0x3, 0x2, 
    0x2, 0x2, 0x144, 0x146, 0x7, 0x33, 0x2, 0x2, 0x145, 0x140, 0x3, 0x2, 
    0x2, 0x2, 0x145, 0x146, 0x3, 0x2, 0x2, 0x2, 0x146, 0x147, 0x3, 0x2, 
    0x2, 0x2, 0x147, 0x148, 0x5, 0x8, 0x5, 0x2, 0x148, 0x31, 0x3, 0x2, 0x2, 
    0x2, 0x149, 0x14a, 0x7, 0x17, 0x2, 0x2, 0x14a, 0x14b, 0x5, 0x44, 0x23, 
    0x2, 0x14b, 0x14c, 0x7, 0x27, 0x2, 0x2, 0x14c, 0x14d, 0x5, 0x62, 0x32, 
    0x2, 0x14d, 0x14e, 0x5, 0x8, 0x5, 0x2, 0x14e, 0x33, 0x3, 0x2, 0x2, 0x2, 
    0x14f, 0x150, 0x7, 0x18, 0x2, 0x2, 0x150, 0x151, 0x5, 0x62, 0x32, 0x2, 
    0x151, 0x152, 0x5, 0x8, 0x5, 0x2, 0x152, 0x35, 0x3, 0x2, 0x2, 0x2, 0x153, 
    0x154, 0x7, 0x1b, 0x2, 0x2, 0x154, 0x37, 0x3, 0x2, 0x2, 0x2, 0x155, 
    0x156, 0x7, 0x1c, 0x2, 0x2, 0x156, 0x39, 0x3, 0x2, 0x2, 0x2, 0x157, 
    0x160, 0x7, 0x1d, 0x2, 0x2, 0x158, 0x15d, 0x5, 0x62, 0x32, 0x2, 0x159, 
    0x15a, 0x7, 0x4c, 0x2, 0x2, 0x15a, 0x15c, 0x5, 0x62, 0x32, 0x2, 0x15b, 
    0x159, 0x3, 0x2, 0x2, 0x2, 0x15c, 0x15f, 0x3, 0x2, 0x2, 0x2, 0x15d, 
    0x15b, 0x3, 0x2, 0x2, 0x2, 0x15d, 0x15e, 0x3, 0x2, 0x2, 0x2, 0x15e, 
    0x161, 0x3, 0x2, 0x2, 0x2, 0x15f, 0x15d, 0x3, 0x2, 0x2, 0x2, 0x160, 
    0x158, 0x3, 0x2, 0x2, 0x2, 0x160, 0x161, 0x3, 0x2, 0x2, 0x2, 0x161, 
    0x3b, 0x3, 0x2, 0x2, 0x2, 0x162, 0x163, 0x7, 0x1e, 0x2, 0x2, 0x163, 
    0x166, 0x5, 0x62, 0x32, 0x2, 0x164, 0x165, 0x7, 0x4c, 0x2, 0x2, 0x165, 
    0x167, 0x5, 0x62, 0x32, 0x2, 0x166, 0x164, 0x3, 0x2, 0x2, 0x2, 0x166, 
    0x167, 0x3, 0x2, 0x2, 0x2, 0x167, 0x3d, 0x3, 0x2, 0x2, 0x2, 0x168, 0x169, 
    0x7, 0x20, 0x2, 0x2, 0x169, 0x16a, 0x5, 0x8, 0x5, 0x2, 0x16a, 0x3f, 
    0x3, 0x2, 0x2, 0x2, 0x16b, 0x16e, 0x5, 0x62, 0x32, 0x2, 0x16c, 0x16d, 
    0x7, 0x38, 0x2, 0x2, 0x16d, 0x16f, 0x5, 0x62, 0x32, 0x2, 0x16e, 0x16c, 
    0x3, 0x2, 0x2, 0x2, 0x16e, 0x16f, 0x3, 0x2, 0x2, 0x2, 0x16f, 0x41, 0x3, 
    0x2, 0x2, 0x2, 0x170, 0x17f, 0x7, 0x2e, 0x2, 0x2, 0x171, 0x172, 0x7, 
    0x32, 0x2, 0x2, 0x172, 0x175, 0x5, 0x42, 0x22, 0x2, 0x173, 0x174, 0x7, 
    0x4c, 0x2, 0x2, 0x174, 0x176, 0x5, 0x42, 0x22, 0x2, 0x175, 0x173, 0x3, 
    0x2, 0x2, 0x2, 0x176, 0x177, 0x3, 0x2, 0x2, 0x2, 0x177, 0x175, 0x3, 
    0x2, 0x2, 0x2, 0x177, 0x178, 0x3, 0x2, 0x2, 0x2, 0x178, 0x17a, 0x3, 
    0x2, 0x2, 0x2, 0x179, 0x17b, 0x7, 0x4c, 0x2, 0x2, 0x17a, 0x179, 0x3, 
    0x2, 0x2, 0x2, 0x17a, 0x17b, 0x3, 0x2, 0x2, 0x2, 0x17b, 0x17c, 0x3, 
    0x2, 0x2, 0x2, 0x17c, 0x17d, 0x7, 0x33, 0x2, 0x2, 0x17d, 0x17f, 0x3, 
    0x2, 0x2, 0x2, 0x17e, 0x170, 0x3, 0x2, 0x2, 0x2, 0x17e, 0x171, 0x3, 
    0x2, 0x2, 0x2, 0x17f, 0x43, 0x3, 0x2, 0x2, 0x2, 0x180, 0x185, 0x5, 0x42, 
    0x22, 0x2, 0x181, 0x182, 0x7, 0x4c, 0x2, 0x2, 0x182, 0x184, 0x5, 0x42, 
    0x22, 0x2, 0x183, 0x181, 0x3, 0x2, 0x2, 0x2, 0x184, 0x187, 0x3, 0x2, 
    0x2, 0x2, 0x185, 0x183, 0x3, 0x2, 0x2, 0x2, 0x185, 0x186, 0x3, 0x2, 
    0x2, 0x2, 0x186, 0x45, 0x3, 0x2, 0x2, 0x2, 0x187, 0x185, 0x3, 0x2, 0x2, 
    0x2, 0x188, 0x18d, 0x5, 0x48, 0x25, 0x2, 0x189, 0x18a, 0x7, 0x4c, 0x2, 
    0x2, 0x18a, 0x18c, 0x5, 0x48, 0x25, 0x2, 0x18b, 0x189, 0x3, 0x2, 0x2, 
    0x2, 0x18c, 0x18f, 0x3, 0x2, 0x2, 0x2, 0x18d, 0x18b, 0x3, 0x2, 0x2, 
    0x2, 0x18d, 0x18e, 0x3, 0x2, 0x2, 0x2, 0x18e, 0x191, 0x3, 0x2, 0x2, 
    0x2, 0x18f, 0x18d, 0x3, 0x2, 0x2, 0x2, 0x190, 0x192, 0x7, 0x4c, 0x2, 
    0x2, 0x191, 0x190, 0x3, 0x2, 0x2, 0x2, 0x191, 0x192, 0x3, 0x2, 0x2, 
    0x2, 0x192, 0x47, 0x3, 0x2, 0x2, 0x2, 0x193, 0x196, 0x7, 0x2e, 0x2, 
    0x2, 0x194, 0x195, 0x7, 0x39, 0x2, 0x2, 0x195, 0x197, 0x5, 0x4a, 0x26, 
    0x2, 0x196, 0x194, 0x3, 0x2, 0x2, 0x2, 0x196, 0x197, 0x3, 0x2, 0x2, 
    0x2, 0x197, 0x19a, 0x3, 0x2, 0x2, 0x2, 0x198, 0x199, 0x7, 0x41, 0x2, 
    0x2, 0x199, 0x19b, 0x5, 0x62, 0x32, 0x2, 0x19a, 0x198, 0x3, 0x2, 0x2, 
    0x2, 0x19a, 0x19b, 0x3, 0x2, 0x2, 0x2, 0x19b, 0x49, 0x3, 0x2, 0x2, 0x2, 
    0x19c, 0x19f, 0x5, 0x4e, 0x28, 0x2, 0x19d, 0x19f, 0x5, 0x4c, 0x27, 0x2, 
    0x19e, 0x19c, 0x3, 0x2, 0x2, 0x2, 0x19e, 0x19d, 0x3, 0x2, 0x2, 0x2, 
    0x19f, 0x4b, 0x3, 0x2, 0x2, 0x2, 0x1a0, 0x1a6, 0x7, 0x2e, 0x2, 0x2, 
    0x1a1, 0x1a6, 0x7, 0x8, 0x2, 0x2, 0x1a2, 0x1a6, 0x7, 0x15, 0x2, 0x2, 
    0x1a3, 0x1a6, 0x7, 0x16, 0x2, 0x2, 0x1a4, 0x1a6, 0x5, 0x54, 0x2b, 0x2, 
    0x1a5, 0x1a0, 0x3, 0x2, 0x2, 0x2, 0x1a5, 0x1a1, 0x3, 0x2, 0x2, 0x2, 
    0x1a5, 0x1a2, 0x3, 0x2, 0x2, 0x2, 0x1a5, 0x1a3, 0x3, 0x2, 0x2, 0x2, 
    0x1a5, 0x1a4, 0x3, 0x2, 0x2, 0x2, 0x1a6, 0x4d, 0x3, 0x2, 0x2, 0x2, 0x1a7, 
    0x1a9, 0x5, 0x54, 0x2b, 0x2, 0x1a8, 0x1a7, 0x3, 0x2, 0x2, 0x2, 0x1a8, 
    0x1a9, 0x3, 0x2, 0x2, 0x2, 0x1a9, 0x1aa, 0x3, 0x2, 0x2, 0x2, 0x1aa, 
    0x1b6, 0x7, 0x34, 0x2, 0x2, 0x1ab, 0x1b0, 0x5, 0x50, 0x29, 0x2, 0x1ac, 
    0x1ad, 0x7, 0x4c, 0x2, 0x2, 0x1ad, 0x1af, 0x5, 0x50, 0x29, 0x2, 0x1ae, 
    0x1ac, 0x3, 0x2, 0x2, 0x2, 0x1af, 0x1b2, 0x3, 0x2, 0x2, 0x2, 0x1b0, 
    0x1ae, 0x3, 0x2, 0x2, 0x2, 0x1b0, 0x1b1, 0x3, 0x2, 0x2, 0x2, 0x1b1, 
    0x1b4, 0x3, 0x2, 0x2, 0x2, 0x1b2, 0x1b0, 0x3, 0x2, 0x2, 0x2, 0x1b3, 
    0x1b5, 0x7, 0x4c, 0x2, 0x2, 0x1b4, 0x1b3, 0x3, 0x2, 0x2, 0x2, 0x1b4, 
    0x1b5, 0x3, 0x2, 0x2, 0x2, 0x1b5, 0x1b7, 0x3, 0x2, 0x2, 0x2, 0x1b6, 
    0x1ab, 0x3, 0x2, 0x2, 0x2, 0x1b6, 0x1b7, 0x3, 0x2, 0x2, 0x2, 0x1b7, 
    0x1b8, 0x3, 0x2, 0x2, 0x2, 0x1b8, 0x1b9, 0x7, 0x35, 0x2, 0x2, 0x1b9, 
    0x4f, 0x3, 0x2, 0x2, 0x2, 0x1ba, 0x1bd, 0x7, 0x4a, 0x2, 0x2, 0x1bb, 
    0x1bd, 0x5, 0x62, 0x32, 0x2, 0x1bc, 0x1ba, 0x3, 0x2, 0x2, 0x2, 0x1bc, 
    0x1bb, 0x3, 0x2, 0x2, 0x2, 0x1bd, 0x51, 0x3, 0x2, 0x2, 0x2, 0x1be, 0x1c5, 
    0x5, 0x4e, 0x28, 0x2, 0x1bf, 0x1c1, 0x5, 0x54, 0x2b, 0x2, 0x1c0, 0x1bf, 
    0x3, 0x2, 0x2, 0x2, 0x1c0, 0x1c1, 0x3, 0x2, 0x2, 0x2, 0x1c1, 0x1c2, 
    0x3, 0x2, 0x2, 0x2, 0x1c2, 0x1c3, 0x7, 0x2e, 0x2, 0x2, 0x1c3, 0x1c5, 
    0x5, 0x5e, 0x30, 0x2, 0x1c4, 0x1be, 0x3, 0x2, 0x2, 0x2, 0x1c4, 0x1c0, 
    0x3, 0x2, 0x2, 0x2, 0x1c5, 0x53, 0x3, 0x2, 0x2, 0x2, 0x1c6, 0x1c7, 0x9, 
    0x3, 0x2, 0x2, 0x1c7, 0x55, 0x3, 0x2, 0x2, 0x2, 0x1c8, 0x1cf, 0x5, 0x58, 
    0x2d, 0x2, 0x1c9, 0x1cc, 0x7, 0x2e, 0x2, 0x2, 0x1ca, 0x1cb, 0x7, 0x4b, 
    0x2, 0x2, 0x1cb, 0x1cd, 0x5, 0x7c, 0x3f, 0x2, 0x1cc, 0x1ca, 0x3, 0x2, 
    0x2, 0x2, 0x1cc, 0x1cd, 0x3, 0x2, 0x2, 0x2, 0x1cd, 0x1cf, 0x3, 0x2, 
    0x2, 0x2, 0x1ce, 0x1c8, 0x3, 0x2, 0x2, 0x2, 0x1ce, 0x1c9, 0x3, 0x2, 
    0x2, 0x2, 0x1cf, 0x57, 0x3, 0x2, 0x2, 0x2, 0x1d0, 0x1dc, 0x7, 0x36, 
    0x2, 0x2, 0x1d1, 0x1d6, 0x5, 0x5a, 0x2e, 0x2, 0x1d2, 0x1d3, 0x7, 0x4c, 
    0x2, 0x2, 0x1d3, 0x1d5, 0x5, 0x5a, 0x2e, 0x2, 0x1d4, 0x1d2, 0x3, 0x2, 
    0x2, 0x2, 0x1d5, 0x1d8, 0x3, 0x2, 0x2, 0x2, 0x1d6, 0x1d4, 0x3, 0x2, 
    0x2, 0x2, 0x1d6, 0x1d7, 0x3, 0x2, 0x2, 0x2, 0x1d7, 0x1da, 0x3, 0x2, 
    0x2, 0x2, 0x1d8, 0x1d6, 0x3, 0x2, 0x2, 0x2, 0x1d9, 0x1db, 0x7, 0x4c, 
    0x2, 0x2, 0x1da, 0x1d9, 0x3, 0x2, 0x2, 0x2, 0x1da, 0x1db, 0x3, 0x2, 
    0x2, 0x2, 0x1db, 0x1dd, 0x3, 0x2, 0x2, 0x2, 0x1dc, 0x1d1, 0x3, 0x2, 
    0x2, 0x2, 0x1dc, 0x1dd, 0x3, 0x2, 0x2, 0x2, 0x1dd, 0x1de, 0x3, 0x2, 
    0x2, 0x2, 0x1de, 0x1df, 0x7, 0x37, 0x2, 0x2, 0x1df, 0x59, 0x3, 0x2, 
    0x2, 0x2, 0x1e0, 0x200, 0x7, 0x4a, 0x2, 0x2, 0x1e1, 0x1e5, 0x7, 0x2e, 
    0x2, 0x2, 0x1e2, 0x1e4, 0x7, 0x31, 0x2, 0x2, 0x1e3, 0x1e2, 0x3, 0x2, 
    0x2, 0x2, 0x1e4, 0x1e7, 0x3, 0x2, 0x2, 0x2, 0x1e5, 0x1e3, 0x3, 0x2, 
    0x2, 0x2, 0x1e5, 0x1e6, 0x3, 0x2, 0x2, 0x2, 0x1e6, 0x1e8, 0x3, 0x2, 
    0x2, 0x2, 0x1e7, 0x1e5, 0x3, 0x2, 0x2, 0x2, 0x1e8, 0x1f8, 0x7, 0x3a, 
    0x2, 0x2, 0x1e9, 0x1f9, 0x5, 0x7c, 0x3f, 0x2, 0x1ea, 0x1eb, 0x7, 0x34, 
    0x2, 0x2, 0x1eb, 0x1f0, 0x5, 0x7c, 0x3f, 0x2, 0x1ec, 0x1ed, 0x7, 0x4c, 
    0x2, 0x2, 0x1ed, 0x1ef, 0x5, 0x7c, 0x3f, 0x2, 0x1ee, 0x1ec, 0x3, 0x2, 
    0x2, 0x2, 0x1ef, 0x1f2, 0x3, 0x2, 0x2, 0x2, 0x1f0, 0x1ee, 0x3, 0x2, 
    0x2, 0x2, 0x1f0, 0x1f1, 0x3, 0x2, 0x2, 0x2, 0x1f1, 0x1f4, 0x3, 0x2, 
    0x2, 0x2, 0x1f2, 0x1f0, 0x3, 0x2, 0x2, 0x2, 0x1f3, 0x1f5, 0x7, 0x4c, 
    0x2, 0x2, 0x1f4, 0x1f3, 0x3, 0x2, 0x2, 0x2, 0x1f4, 0x1f5, 0x3, 0x2, 
    0x2, 0x2, 0x1f5, 0x1f6, 0x3, 0x2, 0x2, 0x2, 0x1f6, 0x1f7, 0x7, 0x35, 
    0x2, 0x2, 0x1f7, 0x1f9, 0x3, 0x2, 0x2, 0x2, 0x1f8, 0x1e9, 0x3, 0x2, 
    0x2, 0x2, 0x1f8, 0x1ea, 0x3, 0x2, 0x2, 0x2, 0x1f9, 0x200, 0x3, 0x2, 
    0x2, 0x2, 0x1fa, 0x1fb, 0x7, 0x2e, 0x2, 0x2, 0x1fb, 0x1fc, 0x5, 0x78, 
    0x3d, 0x2, 0x1fc, 0x1fd, 0x7, 0x39, 0x2, 0x2, 0x1fd, 0x1fe, 0x5, 0x58, 
    0x2d, 0x2, 0x1fe, 0x200, 0x3, 0x2, 0x2, 0x2, 0x1ff, 0x1e0, 0x3, 0x2, 
    0x2, 0x2, 0x1ff, 0x1e1, 0x3, 0x2, 0x2, 0x2, 0x1ff, 0x1fa, 0x3, 0x2, 
    0x2, 0x2, 0x200, 0x5b, 0x3, 0x2, 0x2, 0x2, 0x201, 0x206, 0x7, 0x2e, 
    0x2, 0x2, 0x202, 0x203, 0x7, 0x4b, 0x2, 0x2, 0x203, 0x205, 0x5, 0x7c, 
    0x3f, 0x2, 0x204, 0x202, 0x3, 0x2, 0x2, 0x2, 0x205, 0x208, 0x3, 0x2, 
    0x2, 0x2, 0x206, 0x204, 0x3, 0x2, 0x2, 0x2, 0x206, 0x207, 0x3, 0x2, 
    0x2, 0x2, 0x207, 0x5d, 0x3, 0x2, 0x2, 0x2, 0x208, 0x206, 0x3, 0x2, 0x2, 
    0x2, 0x209, 0x20d, 0x7, 0x2e, 0x2, 0x2, 0x20a, 0x20c, 0x5, 0x60, 0x31, 
    0x2, 0x20b, 0x20a, 0x3, 0x2, 0x2, 0x2, 0x20c, 0x20f, 0x3, 0x2, 0x2, 
    0x2, 0x20d, 0x20b, 0x3, 0x2, 0x2, 0x2, 0x20d, 0x20e, 0x3, 0x2, 0x2, 
    0x2, 0x20e, 0x5f, 0x3, 0x2, 0x2, 0x2, 0x20f, 0x20d, 0x3, 0x2, 0x2, 0x2, 
    0x210, 0x211, 0x7, 0x4b, 0x2, 0x2, 0x211, 0x217, 0x5, 0x7c, 0x3f, 0x2, 
    0x212, 0x213, 0x7, 0x34, 0x2, 0x2, 0x213, 0x214, 0x5, 0x62, 0x32, 0x2, 
    0x214, 0x215, 0x7, 0x35, 0x2, 0x2, 0x215, 0x217, 0x3, 0x2, 0x2, 0x2, 
    0x216, 0x210, 0x3, 0x2, 0x2, 0x2, 0x216, 0x212, 0x3, 0x2, 0x2, 0x2, 
    0x217, 0x61, 0x3, 0x2, 0x2, 0x2, 0x218, 0x219, 0x8, 0x32, 0x1, 0x2, 
    0x219, 0x22e, 0x5, 0x64, 0x33, 0x2, 0x21a, 0x21b, 0x7, 0x44, 0x2, 0x2, 
    0x21b, 0x22e, 0x5, 0x62, 0x32, 0xb, 0x21c, 0x21d, 0x7, 0x2a, 0x2, 0x2, 
    0x21d, 0x22e, 0x5, 0x62, 0x32, 0x6, 0x21e, 0x21f, 0x7, 0x16, 0x2, 0x2, 
    0x21f, 0x221, 0x7, 0x32, 0x2, 0x2, 0x220, 0x222, 0x5, 0x46, 0x24, 0x2, 
    0x221, 0x220, 0x3, 0x2, 0x2, 0x2, 0x221, 0x222, 0x3, 0x2, 0x2, 0x2, 
    0x222, 0x223, 0x3, 0x2, 0x2, 0x2, 0x223, 0x226, 0x7, 0x33, 0x2, 0x2, 
    0x224, 0x225, 0x7, 0x3a, 0x2, 0x2, 0x225, 0x227, 0x5, 0x4a, 0x26, 0x2, 
    0x226, 0x224, 0x3, 0x2, 0x2, 0x2, 0x226, 0x227, 0x3, 0x2, 0x2, 0x2, 
    0x227, 0x22b, 0x3, 0x2, 0x2, 0x2, 0x228, 0x22c, 0x5, 0x8, 0x5, 0x2, 
    0x229, 0x22a, 0x7, 0x41, 0x2, 0x2, 0x22a, 0x22c, 0x5, 0x62, 0x32, 0x2, 
    0x22b, 0x228, 0x3, 0x2, 0x2, 0x2, 0x22b, 0x229, 0x3, 0x2, 0x2, 0x2, 
    0x22c, 0x22e, 0x3, 0x2, 0x2, 0x2, 0x22d, 0x218, 0x3, 0x2, 0x2, 0x2, 
    0x22d, 0x21a, 0x3, 0x2, 0x2, 0x2, 0x22d, 0x21c, 0x3, 0x2, 0x2, 0x2, 
    0x22d, 0x21e, 0x3, 0x2, 0x2, 0x2, 0x22e, 0x257, 0x3, 0x2, 0x2, 0x2, 
    0x22f, 0x230, 0xc, 0xc, 0x2, 0x2, 0x230, 0x231, 0x7, 0x48, 0x2, 0x2, 
    0x231, 0x256, 0x5, 0x62, 0x32, 0xc, 0x232, 0x233, 0xc, 0xa, 0x2, 0x2, 
    0x233, 0x234, 0x9, 0x4, 0x2, 0x2, 0x234, 0x256, 0x5, 0x62, 0x32, 0xb, 
    0x235, 0x236, 0xc, 0x9, 0x2, 0x2, 0x236, 0x237, 0x9, 0x5, 0x2, 0x2, 
    0x237, 0x256, 0x5, 0x62, 0x32, 0xa, 0x238, 0x239, 0xc, 0x8, 0x2, 0x2, 
    0x239, 0x23a, 0x7, 0x4a, 0x2, 0x2, 0x23a, 0x256, 0x5, 0x62, 0x32, 0x9, 
    0x23b, 0x23c, 0xc, 0x7, 0x2, 0x2, 0x23c, 0x23d, 0x9, 0x6, 0x2, 0x2, 
    0x23d, 0x256, 0x5, 0x62, 0x32, 0x8, 0x23e, 0x23f, 0xc, 0x5, 0x2, 0x2, 
    0x23f, 0x240, 0x7, 0x28, 0x2, 0x2, 0x240, 0x256, 0x5, 0x62, 0x32, 0x6, 
    0x241, 0x242, 0xc, 0x4, 0x2, 0x2, 0x242, 0x243, 0x7, 0x29, 0x2, 0x2, 
    0x243, 0x256, 0x5, 0x62, 0x32, 0x5, 0x244, 0x245, 0xc, 0x10, 0x2, 0x2, 
    0x245, 0x247, 0x7, 0x32, 0x2, 0x2, 0x246, 0x248, 0x5, 0x70, 0x39, 0x2, 
    0x247, 0x246, 0x3, 0x2, 0x2, 0x2, 0x247, 0x248, 0x3, 0x2, 0x2, 0x2, 
    0x248, 0x249, 0x3, 0x2, 0x2, 0x2, 0x249, 0x256, 0x7, 0x33, 0x2, 0x2, 
    0x24a, 0x24b, 0xc, 0xf, 0x2, 0x2, 0x24b, 0x24c, 0x7, 0x34, 0x2, 0x2, 
    0x24c, 0x24d, 0x5, 0x74, 0x3b, 0x2, 0x24d, 0x24e, 0x7, 0x35, 0x2, 0x2, 
    0x24e, 0x256, 0x3, 0x2, 0x2, 0x2, 0x24f, 0x250, 0xc, 0xe, 0x2, 0x2, 
    0x250, 0x251, 0x7, 0x4b, 0x2, 0x2, 0x251, 0x256, 0x5, 0x7c, 0x3f, 0x2, 
    0x252, 0x253, 0xc, 0xd, 0x2, 0x2, 0x253, 0x254, 0x7, 0x49, 0x2, 0x2, 
    0x254, 0x256, 0x5, 0x56, 0x2c, 0x2, 0x255, 0x22f, 0x3, 0x2, 0x2, 0x2, 
    0x255, 0x232, 0x3, 0x2, 0x2, 0x2, 0x255, 0x235, 0x3, 0x2, 0x2, 0x2, 
    0x255, 0x238, 0x3, 0x2, 0x2, 0x2, 0x255, 0x23b, 0x3, 0x2, 0x2, 0x2, 
    0x255, 0x23e, 0x3, 0x2, 0x2, 0x2, 0x255, 0x241, 0x3, 0x2, 0x2, 0x2, 
    0x255, 0x244, 0x3, 0x2, 0x2, 0x2, 0x255, 0x24a, 0x3, 0x2, 0x2, 0x2, 
    0x255, 0x24f, 0x3, 0x2, 0x2, 0x2, 0x255, 0x252, 0x3, 0x2, 0x2, 0x2, 
    0x256, 0x259, 0x3, 0x2, 0x2, 0x2, 0x257, 0x255, 0x3, 0x2, 0x2, 0x2, 
    0x257, 0x258, 0x3, 0x2, 0x2, 0x2, 0x258, 0x63, 0x3, 0x2, 0x2, 0x2, 0x259, 
    0x257, 0x3, 0x2, 0x2, 0x2, 0x25a, 0x25e, 0x7, 0x2e, 0x2, 0x2, 0x25b, 
    0x25d, 0x7, 0x31, 0x2, 0x2, 0x25c, 0x25b, 0x3, 0x2, 0x2, 0x2, 0x25d, 
    0x260, 0x3, 0x2, 0x2, 0x2, 0x25e, 0x25c, 0x3, 0x2, 0x2, 0x2, 0x25e, 
    0x25f, 0x3, 0x2, 0x2, 0x2, 0x25f, 0x26e, 0x3, 0x2, 0x2, 0x2, 0x260, 
    0x25e, 0x3, 0x2, 0x2, 0x2, 0x261, 0x26e, 0x7, 0x30, 0x2, 0x2, 0x262, 
    0x26e, 0x7, 0x2f, 0x2, 0x2, 0x263, 0x26e, 0x7, 0x2b, 0x2, 0x2, 0x264, 
    0x26e, 0x7, 0x2c, 0x2, 0x2, 0x265, 0x26e, 0x7, 0x2d, 0x2, 0x2, 0x266, 
    0x26e, 0x5, 0x54, 0x2b, 0x2, 0x267, 0x26e, 0x5, 0x78, 0x3d, 0x2, 0x268, 
    0x26e, 0x5, 0x68, 0x35, 0x2, 0x269, 0x26e, 0x5, 0x6a, 0x36, 0x2, 0x26a, 
    0x26b, 0x7, 0x1f, 0x2, 0x2, 0x26b, 0x26e, 0x5, 0x8, 0x5, 0x2, 0x26c, 
    0x26e, 0x5, 0x66, 0x34, 0x2, 0x26d, 0x25a, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x261, 0x3, 0x2, 0x2, 0x2, 0x26d, 0x262, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x263, 0x3, 0x2, 0x2, 0x2, 0x26d, 0x264, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x265, 0x3, 0x2, 0x2, 0x2, 0x26d, 0x266, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x267, 0x3, 0x2, 0x2, 0x2, 0x26d, 0x268, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x269, 0x3, 0x2, 0x2, 0x2, 0x26d, 0x26a, 0x3, 0x2, 0x2, 0x2, 0x26d, 
    0x26c, 0x3, 0x2, 0x2, 0x2, 0x26e, 0x65, 0x3, 0x2, 0x2, 0x2, 0x26f, 0x270, 
    0x7, 0x19, 0x2, 0x2, 0x270, 0x271, 0x5, 0x62, 0x32, 0x2, 0x271, 0x279, 
    0x5, 0x8, 0x5, 0x2, 0x272, 0x273, 0x7, 0x1a, 0x2, 0x2, 0x273, 0x274, 
    0x7, 0x19, 0x2, 0x2, 0x274, 0x275, 0x5, 0x62, 0x32, 0x2, 0x275, 0x276, 
    0x5, 0x8, 0x5, 0x2, 0x276, 0x278, 0x3, 0x2, 0x2, 0x2, 0x277, 0x272, 
    0x3, 0x2, 0x2, 0x2, 0x278, 0x27b, 0x3, 0x2, 0x2, 0x2, 0x279, 0x277, 
    0x3, 0x2, 0x2, 0x2, 0x279, 0x27a, 0x3, 0x2, 0x2, 0x2, 0x27a, 0x27e, 
    0x3, 0x2, 0x2, 0x2, 0x27b, 0x279, 0x3, 0x2, 0x2, 0x2, 0x27c, 0x27d, 
    0x7, 0x1a, 0x2, 0x2, 0x27d, 0x27f, 0x5, 0x8, 0x5, 0x2, 0x27e, 0x27c, 
    0x3, 0x2, 0x2, 0x2, 0x27e, 0x27f, 0x3, 0x2, 0x2, 0x2, 0x27f, 0x67, 0x3, 
    0x2, 0x2, 0x2, 0x280, 0x281, 0x7, 0x32, 0x2, 0x2, 0x281, 0x286, 0x5, 
    0x62, 0x32, 0x2, 0x282, 0x283, 0x7, 0x4c, 0x2, 0x2, 0x283, 0x285, 0x5, 
    0x62, 0x32, 0x2, 0x284, 0x282, 0x3, 0x2, 0x2, 0x2, 0x285, 0x288, 0x3, 
    0x2, 0x2, 0x2, 0x286, 0x284, 0x3, 0x2, 0x2, 0x2, 0x286, 0x287, 0x3, 
    0x2, 0x2, 0x2, 0x287, 0x28a, 0x3, 0x2, 0x2, 0x2, 0x288, 0x286, 0x3, 
    0x2, 0x2, 0x2, 0x289, 0x28b, 0x7, 0x4c, 0x2, 0x2, 0x28a, 0x289, 0x3, 
    0x2, 0x2, 0x2, 0x28a, 0x28b, 0x3, 0x2, 0x2, 0x2, 0x28b, 0x28c, 0x3, 
    0x2, 0x2, 0x2, 0x28c, 0x28d, 0x7, 0x33, 0x2, 0x2, 0x28d, 0x69, 0x3, 
    0x2, 0x2, 0x2, 0x28e, 0x2a1, 0x7, 0x34, 0x2, 0x2, 0x28f, 0x29f, 0x5, 
    0x6e, 0x38, 0x2, 0x290, 0x292, 0x5, 0x6c, 0x37, 0x2, 0x291, 0x290, 0x3, 
    0x2, 0x2, 0x2, 0x292, 0x293, 0x3, 0x2, 0x2, 0x2, 0x293, 0x291, 0x3, 
    0x2, 0x2, 0x2, 0x293, 0x294, 0x3, 0x2, 0x2, 0x2, 0x294, 0x2a0, 0x3, 
    0x2, 0x2, 0x2, 0x295, 0x296, 0x7, 0x4c, 0x2, 0x2, 0x296, 0x298, 0x5, 
    0x6e, 0x38, 0x2, 0x297, 0x295, 0x3, 0x2, 0x2, 0x2, 0x298, 0x29b, 0x3, 
    0x2, 0x2, 0x2, 0x299, 0x297, 0x3, 0x2, 0x2, 0x2, 0x299, 0x29a, 0x3, 
    0x2, 0x2, 0x2, 0x29a, 0x29d, 0x3, 0x2, 0x2, 0x2, 0x29b, 0x299, 0x3, 
    0x2, 0x2, 0x2, 0x29c, 0x29e, 0x7, 0x4c, 0x2, 0x2, 0x29d, 0x29c, 0x3, 
    0x2, 0x2, 0x2, 0x29d, 0x29e, 0x3, 0x2, 0x2, 0x2, 0x29e, 0x2a0, 0x3, 
    0x2, 0x2, 0x2, 0x29f, 0x291, 0x3, 0x2, 0x2, 0x2, 0x29f, 0x299, 0x3, 
    0x2, 0x2, 0x2, 0x2a0, 0x2a2, 0x3, 0x2, 0x2, 0x2, 0x2a1, 0x28f, 0x3, 
    0x2, 0x2, 0x2, 0x2a1, 0x2a2, 0x3, 0x2, 0x2, 0x2, 0x2a2, 0x2a3, 0x3, 
    0x2, 0x2, 0x2, 0x2a3, 0x2a4, 0x7, 0x35, 0x2, 0x2, 0x2a4, 0x6b, 0x3, 
    0x2, 0x2, 0x2, 0x2a5, 0x2a6, 0x7, 0x17, 0x2, 0x2, 0x2a6, 0x2a7, 0x5, 
    0x44, 0x23, 0x2, 0x2a7, 0x2a8, 0x7, 0x27, 0x2, 0x2, 0x2a8, 0x2ad, 0x5, 
    0x62, 0x32, 0x2, 0x2a9, 0x2aa, 0x7, 0x19, 0x2, 0x2, 0x2aa, 0x2ac, 0x5, 
    0x62, 0x32, 0x2, 0x2ab, 0x2a9, 0x3, 0x2, 0x2, 0x2, 0x2ac, 0x2af, 0x3, 
    0x2, 0x2, 0x2, 0x2ad, 0x2ab, 0x3, 0x2, 0x2, 0x2, 0x2ad, 0x2ae, 0x3, 
    0x2, 0x2, 0x2, 0x2ae, 0x6d, 0x3, 0x2, 0x2, 0x2, 0x2af, 0x2ad, 0x3, 0x2, 
    0x2, 0x2, 0x2b0, 0x2b3, 0x7, 0x4a, 0x2, 0x2, 0x2b1, 0x2b3, 0x5, 0x62, 
    0x32, 0x2, 0x2b2, 0x2b0, 0x3, 0x2, 0x2, 0x2, 0x2b2, 0x2b1, 0x3, 0x2, 
    0x2, 0x2, 0x2b3, 0x6f, 0x3, 0x2, 0x2, 0x2, 0x2b4, 0x2b9, 0x5, 0x72, 
    0x3a, 0x2, 0x2b5, 0x2b6, 0x7, 0x4c, 0x2, 0x2, 0x2b6, 0x2b8, 0x5, 0x72, 
    0x3a, 0x2, 0x2b7, 0x2b5, 0x3, 0x2, 0x2, 0x2, 0x2b8, 0x2bb, 0x3, 0x2, 
    0x2, 0x2, 0x2b9, 0x2b7, 0x3, 0x2, 0x2, 0x2, 0x2b9, 0x2ba, 0x3, 0x2, 
    0x2, 0x2, 0x2ba, 0x2bd, 0x3, 0x2, 0x2, 0x2, 0x2bb, 0x2b9, 0x3, 0x2, 
    0x2, 0x2, 0x2bc, 0x2be, 0x7, 0x4c, 0x2, 0x2, 0x2bd, 0x2bc, 0x3, 0x2, 
    0x2, 0x2, 0x2bd, 0x2be, 0x3, 0x2, 0x2, 0x2, 0x2be, 0x71, 0x3, 0x2, 0x2, 
    0x2, 0x2bf, 0x2c3, 0x5, 0x7c, 0x3f, 0x2, 0x2c0, 0x2c2, 0x7, 0x31, 0x2, 
    0x2, 0x2c1, 0x2c0, 0x3, 0x2, 0x2, 0x2, 0x2c2, 0x2c5, 0x3, 0x2, 0x2, 
    0x2, 0x2c3, 0x2c1, 0x3, 0x2, 0x2, 0x2, 0x2c3, 0x2c4, 0x3, 0x2, 0x2, 
    0x2, 0x2c4, 0x2c6, 0x3, 0x2, 0x2, 0x2, 0x2c5, 0x2c3, 0x3, 0x2, 0x2, 
    0x2, 0x2c6, 0x2c7, 0x7, 0x39, 0x2, 0x2, 0x2c7, 0x2c9, 0x3, 0x2, 0x2, 
    0x2, 0x2c8, 0x2bf, 0x3, 0x2, 0x2, 0x2, 0x2c8, 0x2c9, 0x3, 0x2, 0x2, 
    0x2, 0x2c9, 0x2ca, 0x3, 0x2, 0x2, 0x2, 0x2ca, 0x2cd, 0x5, 0x62, 0x32, 
    0x2, 0x2cb, 0x2cc, 0x7, 0x3a, 0x2, 0x2, 0x2cc, 0x2ce, 0x5, 0x62, 0x32, 
    0x2, 0x2cd, 0x2cb, 0x3, 0x2, 0x2, 0x2, 0x2cd, 0x2ce, 0x3, 0x2, 0x2, 
    0x2, 0x2ce, 0x73, 0x3, 0x2, 0x2, 0x2, 0x2cf, 0x2d4, 0x5, 0x76, 0x3c, 
    0x2, 0x2d0, 0x2d1, 0x7, 0x4c, 0x2, 0x2, 0x2d1, 0x2d3, 0x5, 0x76, 0x3c, 
    0x2, 0x2d2, 0x2d0, 0x3, 0x2, 0x2, 0x2, 0x2d3, 0x2d6, 0x3, 0x2, 0x2, 
    0x2, 0x2d4, 0x2d2, 0x3, 0x2, 0x2, 0x2, 0x2d4, 0x2d5, 0x3, 0x2, 0x2, 
    0x2, 0x2d5, 0x2d8, 0x3, 0x2, 0x2, 0x2, 0x2d6, 0x2d4, 0x3, 0x2, 0x2, 
    0x2, 0x2d7, 0x2d9, 0x7, 0x4c, 0x2, 0x2, 0x2d8, 0x2d7, 0x3, 0x2, 0x2, 
    0x2, 0x2d8, 0x2d9, 0x3, 0x2, 0x2, 0x2, 0x2d9, 0x75, 0x3, 0x2, 0x2, 0x2, 
    0x2da, 0x2de, 0x5, 0x7c, 0x3f, 0x2, 0x2db, 0x2dd, 0x7, 0x31, 0x2, 0x2, 
    0x2dc, 0x2db, 0x3, 0x2, 0x2, 0x2, 0x2dd, 0x2e0, 0x3, 0x2, 0x2, 0x2, 
    0x2de, 0x2dc, 0x3, 0x2, 0x2, 0x2, 0x2de, 0x2df, 0x3, 0x2, 0x2, 0x2, 
    0x2df, 0x2e1, 0x3, 0x2, 0x2, 0x2, 0x2e0, 0x2de, 0x3, 0x2, 0x2, 0x2, 
    0x2e1, 0x2e2, 0x7, 0x39, 0x2, 0x2, 0x2e2, 0x2e4, 0x3, 0x2, 0x2, 0x2, 
    0x2e3, 0x2da, 0x3, 0x2, 0x2, 0x2, 0x2e3, 0x2e4, 0x3, 0x2, 0x2, 0x2, 
    0x2e4, 0x2ed, 0x3, 0x2, 0x2, 0x2, 0x2e5, 0x2e7, 0x5, 0x62, 0x32, 0x2, 
    0x2e6, 0x2e8, 0x7, 0x4a, 0x2, 0x2, 0x2e7, 0x2e6, 0x3, 0x2, 0x2, 0x2, 
    0x2e7, 0x2e8, 0x3, 0x2, 0x2, 0x2, 0x2e8, 0x2ee, 0x3, 0x2, 0x2, 0x2, 
    0x2e9, 0x2eb, 0x7, 0x4a, 0x2, 0x2, 0x2ea, 0x2ec, 0x5, 0x62, 0x32, 0x2, 
    0x2eb, 0x2ea, 0x3, 0x2, 0x2, 0x2, 0x2eb, 0x2ec, 0x3, 0x2, 0x2, 0x2, 
    0x2ec, 0x2ee, 0x3, 0x2, 0x2, 0x2, 0x2ed, 0x2e5, 0x3, 0x2, 0x2, 0x2, 
    0x2ed, 0x2e9, 0x3, 0x2, 0x2, 0x2, 0x2ee, 0x77, 0x3, 0x2, 0x2, 0x2, 0x2ef, 
    0x2f4, 0x7, 0x4e, 0x2, 0x2, 0x2f0, 0x2f3, 0x7, 0x51, 0x2, 0x2, 0x2f1, 
    0x2f3, 0x5, 0x7a, 0x3e, 0x2, 0x2f2, 0x2f0, 0x3, 0x2, 0x2, 0x2, 0x2f2, 
    0x2f1, 0x3, 0x2, 0x2, 0x2, 0x2f3, 0x2f6, 0x3, 0x2, 0x2, 0x2, 0x2f4, 
    0x2f2, 0x3, 0x2, 0x2, 0x2, 0x2f4, 0x2f5, 0x3, 0x2, 0x2, 0x2, 0x2f5, 
    0x2f7, 0x3, 0x2, 0x2, 0x2, 0x2f6, 0x2f4, 0x3, 0x2, 0x2, 0x2, 0x2f7, 
    0x2f8, 0x7, 0x52, 0x2, 0x2, 0x2f8, 0x79, 0x3, 0x2, 0x2, 0x2, 0x2f9, 
    0x2fa, 0x7, 0x53, 0x2, 0x2, 0x2fa, 0x2ff, 0x5, 0x62, 0x32, 0x2, 0x2fb, 
    0x2fd, 0x7, 0x4, 0x2, 0x2, 0x2fc, 0x2fe, 0x7, 0x56, 0x2, 0x2, 0x2fd, 
    0x2fc, 0x3, 0x2, 0x2, 0x2, 0x2fd, 0x2fe, 0x3, 0x2, 0x2, 0x2, 0x2fe, 
    0x300, 0x3, 0x2, 0x2, 0x2, 0x2ff, 0x2fb, 0x3, 0x2, 0x2, 0x2, 0x2ff, 
    0x300, 0x3, 0x2, 0x2, 0x2, 0x300, 0x301, 0x3, 0x2, 0x2, 0x2, 0x301, 
    0x302, 0x7, 0x3, 0x2, 0x2, 0x302, 0x7b, 0x3, 0x2, 0x2, 0x2, 0x303, 0x304, 
    0x9, 0x7, 0x2, 0x2, 0x304, 0x7d, 0x3, 0x2, 0x2, 0x2, 0x305, 0x308, 0x5, 
    0x54, 0x2b, 0x2, 0x306, 0x308, 0x7, 0x2e, 0x2, 0x2, 0x307, 0x305, 0x3, 
    0x2, 0x2, 0x2, 0x307, 0x306, 0x3, 0x2, 0x2, 0x2, 0x308, 0x7f, 0x3, 0x2, 
    0x2, 0x2, 0x5e, 0x83, 0xa2, 0xa8, 0xb6, 0xc8, 0xcc, 0xce, 0xdf, 0xf2, 
    0xf7, 0x101, 0x10f, 0x114, 0x118, 0x11e, 0x129, 0x132, 0x137, 0x13c, 
    0x142, 0x145, 0x15d, 0x160, 0x166, 0x16e, 0x177, 0x17a, 0x17e, 0x185, 
    0x18d, 0x191, 0x196, 0x19a, 0x19e, 0x1a5, 0x1a8, 0x1b0, 0x1b4, 0x1b6, 
    0x1bc, 0x1c0, 0x1c4, 0x1cc, 0x1ce, 0x1d6, 0x1da, 0x1dc, 0x1e5, 0x1f0, 
    0x1f4, 0x1f8, 0x1ff, 0x206, 0x20d, 0x216, 0x221, 0x226, 0x22b, 0x22d, 
    0x247, 0x255, 0x257, 0x25e, 0x26d, 0x279, 0x27e, 0x286, 0x28a, 0x293, 
    0x299, 0x29d, 0x29f, 0x2a1, 0x2ad, 0x2b2, 0x2b9, 0x2bd, 0x2c3, 0x2c8, 
    0x2cd, 0x2d4, 0x2d8, 0x2de, 0x2e3, 0x2e7, 0x2eb, 0x2ed, 0x2f2, 0x2f4, 
    0x2fd, 0x2ff, 0x307, 
  };

  atn::ATNDeserializer deserializer;
  _atn = deserializer.deserialize(_serializedATN);

  size_t count = _atn.getNumberOfDecisions();
  _decisionToDFA.reserve(count);
  for (size_t i = 0; i < count; i++) { 
    _decisionToDFA.emplace_back(_atn.getDecisionState(i), i);
  }
}

MtfParser::Initializer MtfParser::_init;
